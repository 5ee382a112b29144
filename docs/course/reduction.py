"""F. Landes: principal components, likelihood, Bernoulli naive Bayes."""

# %% components
from sklearn.datasets import load_digits

from chemin import exploration

images, digit = load_digits(return_X_y=True)
found = exploration.pca(images, scale=False)
print(f"10 directions of 64 hold {found.shares[:10].sum():.0%} of the variance")
found.plot_scree()

# %% plane
found.plot(colour=digit.astype(str))

# %% restored
found.plot_restored((8, 8))

# %% likelihood
law = exploration.fit_gaussian(images[digit == 0][:, [20, 21]])
print("mean", law.mean.round(2), "covariance", law.covariance.round(2).tolist())

# %% bernoulli
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import BernoulliNB, GaussianNB

train, test, y_train, y_test = train_test_split(images, digit, random_state=0)
for model in (BernoulliNB(binarize=7.0), GaussianNB(var_smoothing=1e-3)):
    print(f"{type(model).__name__}: {1 - model.fit(train, y_train).score(test, y_test):.1%} wrong")

"""How are the words of a figure said in French? One by one: scripts draw in English, and the drawn words are replaced."""

from __future__ import annotations

import re
from functools import cache

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text

# `{}` stands for anything, which is kept as it is.
FRENCH = {
    # one and two of a kind
    "neighbours: {}, error on these points {}": "voisins : {}, erreur sur ces points {}",
    "{} neighbours, m = {}": "{} voisins, m = {}",
    "{} neighbours": "{} voisins",
    "{} rows, error {} ({} to {} at 95%, exact)": "{} lignes, erreur {} ({} à {} à 95 %, exact)",
    "{} rows": "{} lignes",
    "{} rows\nin none": "{} lignes\ndans aucun",
    "{} functions": "{} fonctions",
    "rounds: {}": "tours : {}",
    "trees: {}, error {}": "arbres : {}, erreur {}",
    "stumps: {}, error {}": "souches : {}, erreur {}",
    "depth: {}, error {}": "profondeur : {}, erreur {}",
    "degree {}": "degré {}",
    "class {}": "classe {}",
    "class {}: {}": "classe {} : {}",
    "dimension {}": "dimension {}",
    "group {} ({})": "groupe {} ({})",
    "border points ({})": "points de bord ({})",
    "in none ({})": "dans aucun ({})",
    "bandwidth {}: {} groups": "largeur {} : {} groupes",
    "{} groups of {} rows; {} rows\nin none": "{} groupes de {} lignes ; {} lignes\ndans aucun",
    "{} groups of {} rows; {} rows in none": "{} groupes de {} lignes ; {} lignes dans aucun",
    "{} groups of {} rows": "{} groupes de {} lignes",
    "DBSCAN, eps = {}, min_samples = {}: {}": "DBSCAN, eps = {}, min_samples = {} : {}",
    "mean shift, gaussian window, h = {}: {}": "mean shift, fenêtre gaussienne, h = {} : {}",
    "{} linkage, {} groups": "lien {}, {} groupes",
    "elbow at {} groups": "coude à {} groupes",
    "Lloyd, {} steps": "Lloyd, {} étapes",
    "{} places where bins begin": "{} débuts de classes",
    "moving where bins begin changes up to {} of the area": "déplacer le début des classes change jusqu’à {} de l’aire",
    "hatched: the Bayes risk, {}": "hachuré : le risque de Bayes, {}",
    "chosen: {}, {}": "choisi : {}, {}",
    "{} of {} points": "{} points sur {}",
    "{} points · {} variables · λ₂ = {} · {} breakpoints": "{} points · {} variables · λ₂ = {} · {} événements",
    "{} active couples · λ₁ = {} · λ₂ = {}": "{} couples actifs · λ₁ = {} · λ₂ = {}",
    "{} of {} active couples, {} of the decision\ncoefficients > 0 speak for {}, < 0 for {}; blue: what the kernel compares": "{} des {} couples actifs, {} de la décision\ncoefficients > 0 pour {}, < 0 pour {} ; en bleu : ce que le noyau compare",
    "{} numbers": "{} nombres",
    "{} of the variance of {} columns": "{} de la variance de {} colonnes",
    "the first {} of {} directions": "les {} premières de {} directions",
    "direction {} ({})": "direction {} ({})",
    "C = {}: {} vectors, error {}": "C = {} : {} vecteurs, erreur {}",
    "C = {}, ε = {}: {} vectors": "C = {}, ε = {} : {} vecteurs",
    "support vector ({})": "vecteur de support ({})",
    "lying ({})": "couché ({})",
    "round ({})": "rond ({})",
    "upright ({})": "debout ({})",
    "{} of the law": "{} de la loi",
    "a line makes {} of {} labellings": "une droite fait {} des {} étiquetages",
    "voters wrong with probability {}": "votants qui se trompent avec probabilité {}",
    "constant: steps spent after {} steps": "pas constant : arrêt après {} pas",
    "ellipse: {}": "ellipse : {}",
    "from {}": "depuis {}",
    "from {}, step {}": "depuis {}, pas {}",
    "hidden {}": "couche cachée {}",
    "point {}, {}": "point {}, {}",
    "weight {}": "poids {}",
    "{}\nbias {}": "{}\nbiais {}",
    "δ is multiplied by {} from one hidden layer to the one below:\n{}": "δ est multiplié par {} d’une couche cachée à celle d’en dessous :\n{}",
    "coefficient of {}": "coefficient de {}",
    "Trunk, m = {}": "Trunk, m = {}",
    "naive Bayes, m = {}": "Bayes naïf, m = {}",
    "plug-in, m = {}": "estimation directe, m = {}",
    "ball deeper than {}": "boule à plus de {} du bord",
    # axes and legends
    "  False": "  faux",
    "True  ": "vrai  ",
    "BIC   (less is better)": "BIC   (petit = mieux)",
    "Bayes error": "erreur de Bayes",
    "Coefficients": "Coefficients",
    "Dual values against λ₁": "Valeurs duales selon λ₁",
    "Dual values against ‖b‖₁": "Valeurs duales selon ‖b‖₁",
    "Sizes of the four sets": "Tailles des quatre ensembles",
    "Dirac": "Dirac",
    "Gaussian, σ = 1": "gaussienne, σ = 1",
    "Prewitt, horizontal edges": "Prewitt, bords horizontaux",
    "Prewitt, vertical edges": "Prewitt, bords verticaux",
    "Hoeffding's bound": "borne de Hoeffding",
    "Huber, δ = 1": "Huber, δ = 1",
    "active couples, by kernel,\nsized by share:": "couples actifs, par noyau,\ntaille selon la part :",
    "active variables": "variables actives",
    "all rows at a time": "toutes les lignes à la fois",
    "and": "et",
    "ball, of its cube": "boule, part de son cube",
    "benign": "bénin",
    "bias": "biais",
    "bound": "borne",
    "bound on the\ntraining error": "borne de l’erreur\nd’apprentissage",
    "boundary, f = 0": "frontière, f = 0",
    "centre": "centre",
    "classes, by size": "classes, par taille",
    "coefficient": "coefficient",
    "components": "composantes",
    "cost": "coût",
    "cross-entropy": "entropie croisée",
    "density": "densité",
    "diag": "diagonale",
    "dimension, d": "dimension, d",
    "direction": "direction",
    "dual value α": "valeur duale α",
    "each": "chacune",
    "eight rows at a time": "huit lignes à la fois",
    "epoch": "époque",
    "error": "erreur",
    "error of the covariance": "erreur de la covariance",
    "error on other rows": "erreur sur d’autres lignes",
    "exact": "exact",
    "exponential": "exponentielle",
    "farthest over nearest": "plus loin sur plus proche",
    "first variable": "première variable",
    "first weight": "premier poids",
    "full": "pleine",
    "groups": "groupes",
    "height of the merge": "hauteur de la fusion",
    "hinge": "hinge",
    "it reaches the first one": "il atteint la première",
    "joint density": "densité jointe",
    "lasso": "lasso",
    "least inertia found": "plus petite inertie trouvée",
    "logistic": "logistique",
    "logistic regression": "régression logistique",
    "loss": "coût",
    "malignant": "malin",
    "margin, y f(x)": "marge, y f(x)",
    "margins, f = ±1": "marges, f = ±1",
    "mean squared error": "erreur quadratique moyenne",
    "mode": "mode",
    "a neuron": "un neurone",
    "naive Bayes": "Bayes naïf",
    "other rows": "autres lignes",
    "output": "sortie",
    "penalty": "pénalité",
    "perceptron": "perceptron",
    "points left": "points à gauche",
    "points on the elbow": "points au coude",
    "points right": "points à droite",
    "predicted": "prédit",
    "probability of a wrong vote": "probabilité d’un vote faux",
    "probability of the first class": "probabilité de la première classe",
    "ratio": "rapport",
    "residual r": "résidu r",
    "ridge": "ridge",
    "risk": "risque",
    "risk of the learned function": "risque de la fonction apprise",
    "root mean square of δ": "moyenne quadratique de δ",
    "rounds": "tours",
    "rows": "lignes",
    "second variable": "seconde variable",
    "second weight": "second poids",
    "share": "part",
    "share of the true label": "part du vrai label",
    "share of the variance": "part de la variance",
    "share of the volume": "part du volume",
    "single": "minimum",
    "size of the set": "taille de l’ensemble",
    "spherical": "sphérique",
    "square": "carré",
    "squared": "carré",
    "squared bias": "biais au carré",
    "steps of a centre": "pas d’un centre",
    "support vectors": "vecteurs de support",
    "the layer": "la couche",
    "their mean": "leur moyenne",
    "tied": "commune",
    "together": "ensemble",
    "training error": "erreur d’apprentissage",
    "training risk": "risque d’apprentissage",
    "training rows": "lignes d’apprentissage",
    "true": "vrai",
    "twice the fluctuation": "deux fois la fluctuation",
    "variables, d": "variables, d",
    "variance": "variance",
    "voters (odd numbers)": "votants (nombres impairs)",
    "ward": "Ward",
    "ways uphill": "chemins de montée",
    "weight −1, the variable is negated": "poids −1, la variable est niée",
    "weighted error\nof the learner": "erreur pondérée\ndu classifieur",
    "where it ends": "arrivée",
    "where it starts": "départ",
    "which class?": "quelle classe ?",
    "windows": "fenêtres",
    "with labels": "avec étiquettes",
    "without labels": "sans étiquettes",
    "error on the sample": "erreur sur l’échantillon",
    "error under the law": "erreur sous la loi",
    "functions, best first": "fonctions, la meilleure d’abord",
    "the best function": "la meilleure fonction",
    "the learned function": "la fonction apprise",
    "slack ξ, above the tube": "écart ξ, au-dessus du tube",
    "slack ξ*, below the tube": "écart ξ*, au-dessous du tube",
    "λ₁   (strong penalty → weak)": "λ₁   (pénalité forte → faible)",
    # names of variables stay as their file has them
    "area error": "area error",
    "fractal dimension error": "fractal dimension error",
    "mean concave points": "mean concave points",
    "mean concavity": "mean concavity",
    "radius error": "radius error",
    "worst concavity": "worst concavity",
    "worst fractal dimension": "worst fractal dimension",
    "worst texture": "worst texture",
    "x1 xor x2": "x1 xor x2",
}

WORD = re.compile(r"[^\W\d_]{3,}")
DECIMAL = re.compile(r"(?<=\d)\.(?=\d)")


@cache
def patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return the entries with a gap as expressions, those that say most first."""
    return [
        (re.compile(re.escape(english).replace(r"\{\}", "(.+?)")), french)
        for english, french in sorted(FRENCH.items(), key=lambda entry: -len(entry[0]))
        if "{}" in english
    ]


def french(text: str) -> str | None:
    """Return a text in French, or None where nobody said how."""
    if text in FRENCH:
        return decimal(FRENCH[text])
    for pattern, said in patterns():
        if found := pattern.fullmatch(text):
            return decimal(said.format(*(french(part) or part for part in found.groups())))
    lines = text.split("\n")
    if len(lines) > 1:
        said_lines = [french(line) for line in lines]
        return None if None in said_lines else "\n".join(line or "" for line in said_lines)
    return None if WORD.search(re.sub(r"\$.*?\$", "", text)) else decimal(text)


def decimal(text: str) -> str:
    """Return a text whose numbers have a comma."""
    return text if "$" in text else DECIMAL.sub(",", text)


def texts(figure: Figure) -> list[Text]:
    """Return what is written in a figure, but for the marks of its axes."""
    marks = {id(label) for axis in axes_of(figure) for label in axis.get_ticklabels(which="both")}
    return [text for text in figure.findobj(Text) if text.get_text() and id(text) not in marks]


def axes_of(figure: Figure) -> list[Axis]:
    """Return the axes of all pictures of a figure."""
    return [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) if ax.axison]


def marks_of(axis: Axis) -> tuple[list[float], list[str]]:
    """Return the marks of an axis that are in sight, and what stands at them."""
    low, high = sorted(axis.get_view_interval())
    shown = [
        (place, label.get_text())
        for place, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False)
        if low <= place <= high
    ]
    return [place for place, _ in shown], [label for _, label in shown]


def unknown(figure: Figure) -> list[str]:
    """Return what a figure says that has no French."""
    figure.canvas.draw()
    said = [text.get_text() for text in texts(figure)]
    said += [label for axis in axes_of(figure) for label in marks_of(axis)[1]]
    return sorted({text for text in said if french(text) is None})


def in_french(figure: Figure) -> None:
    """Say in French what a figure says."""
    figure.canvas.draw()
    for text in texts(figure):
        text.set_text(french(text.get_text()) or text.get_text())
    for axis in axes_of(figure):
        places, labels = marks_of(axis)
        said = [french(label) or label for label in labels]
        if said != labels:
            axis.set_ticks(places, labels=said)

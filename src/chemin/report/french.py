"""How is it said in French? Sentences by their English, nouns by their singular, words of the library by themselves."""

from __future__ import annotations

SENTENCES = {
    "In short": "En bref",
    "The data": "Les données",
    "A look before learning": "Un regard avant d’apprendre",
    "The linear model": "Le modèle linéaire",
    "The kernel basis": "La base de noyaux",
    "Beside other models": "À côté d’autres modèles",
    "Some decisions, explained": "Quelques décisions expliquées",
    "How to do it again": "Comment le refaire",
    "Contents": "Sommaire",
    "{name}: what tells {target}": "{name} : ce qui dit {target}",
    "{rows} and {columns} of {name}; to be predicted: {target}, {what}.":
        "{rows} et {columns} de {name} ; à prédire : {target}, {what}.",
    "a number": "un nombre",
    "This page carries rows of the data: send it to those alone who may see them.":
        "Cette page porte des lignes des données : ne l’envoyez qu’à ceux qui ont le droit de les voir.",
    "{model}: {terms}": "{model} : {terms}",
    "{model}, {score} on {rows} that it has not seen": "{model}, {score} sur {rows} qu’il n’avait pas vues",
    "{model}. It is certified to be near the optimum: relative duality gap {gap}.":
        "{model}. Il est certifié qu’on est près de l’optimum : saut de dualité relatif {gap}.",
    "{model}. Its optimality is certified: relative duality gap {gap}.":
        "{model}. Son optimalité est certifiée : saut de dualité relatif {gap}.",
    "Beside {n} other models the simplest of the best is {name}":
        "Parmi {n} autres modèles, le plus simple des meilleurs est {name}",
    "{told}; {n} cannot be told apart from the best": "{told} ; {n} ne se distinguent pas du meilleur",
    "To know about the data: {told}.": "À savoir sur les données : {told}.",
    "Nothing to report about the data.": "Rien à signaler sur les données.",
    "Values and names of rows were left out of this page.":
        "Les valeurs et les noms des lignes ont été laissés hors de cette page.",
    "Move on the path": "Se déplacer sur le chemin",
    "{value} wrong": "{value} d’erreurs",
    "{told} (95 % interval {low} to {high})": "{told} (intervalle à 95 % : de {low} à {high})",
    "How good, on {rows} that the model has not seen": "Qualité sur {rows} que le modèle n’avait pas vues",
    "measure": "mesure",
    "value": "valeur",
    "from": "de",
    "to": "à",
    "interval by": "intervalle par",
    "{title} uses {terms}": "{title} emploie {terms}",
    "{told}: a positive one speaks for {side}, a negative one against.":
        "{told} : un terme positif parle pour {side}, un terme négatif contre.",
    "{told}: a positive one raises the prediction, a negative one lowers it.":
        "{told} : un terme positif augmente la prédiction, un terme négatif la diminue.",
    "{told}, in {machines} that each decide between two sides; the share of a term is its mean over them.":
        "{told}, dans {machines} qui décident chacune entre deux côtés ; la part d’un terme est la moyenne des siennes.",
    "The model has no term: nothing that was offered tells more than the most frequent answer.":
        "Le modèle n’a aucun terme : rien de ce qui était offert n’en dit plus que la réponse la plus fréquente.",
    "A couple is a training row together with a kernel, a way to be alike: it speaks where a row is like that one in that way.":
        "Un couple est une ligne d’apprentissage avec un noyau, une manière d’être semblable : il parle là où une ligne "
        "ressemble à celle-là de cette manière.",
    "Its terms, the largest share first": "Ses termes, de la plus grande part à la plus petite",
    "term": "terme",
    "coefficient": "coefficient",
    "machines": "machines",
    "share of the decision": "part de la décision",
    "training row": "ligne d’apprentissage",
    "class": "classe",
    "kernel": "noyau",
    "what sets it apart": "ce qui la distingue",
    "The training rows of its couples": "Les lignes d’apprentissage de ses couples",
    "{variable} = {value} (mean {usual})": "{variable} = {value} (moyenne {usual})",
    "Which class is taken for which": "Quelle classe est prise pour laquelle",
    "truly": "en vérité",
    "called {label}": "dit {label}",
    "cross-validated error": "erreur de validation croisée",
    "cross-validated loss": "perte de validation croisée",
    "{measure} at every λ₁ of the path": "{measure} à chaque λ₁ du chemin",
    "λ₁: to the right a shorter model": "λ₁ : à droite, un modèle plus court",
    "chosen": "choisi",
    "The chosen λ₁ is {l1}.": "Le λ₁ choisi est {l1}.",
    "The chosen λ₁ is {l1}, with an error of {error} ± {spread} over the folds.":
        "Le λ₁ choisi est {l1}, avec une erreur de {error} ± {spread} sur les plis.",
    "The chosen λ₁ is {l1}. Its terms are solved for again with less penalty: the model so made, which is the one in use, "
    "has an error of {error} ± {spread} over the folds. The curve is that of the path itself.":
        "Le λ₁ choisi est {l1}. Ses termes sont résolus de nouveau avec moins de pénalité : le modèle ainsi fait, celui "
        "qui est employé, a une erreur de {error} ± {spread} sur les plis. La courbe est celle du chemin lui-même.",
    "{told} Every λ₁ from {low} to {high} has the same error.": "{told} Tout λ₁ de {low} à {high} a la même erreur.",
    "{told} Every λ₁ from {low} on has the same error.": "{told} Tout λ₁ à partir de {low} a la même erreur.",
    "error": "erreur",
    "standard error": "erreur type",
    "columns used": "colonnes employées",
    "{caption}, in numbers": "{caption}, en nombres",
    "The model's own summary": "Le résumé du modèle par lui-même",
    "The estimator in Python": "L’estimateur en Python",
    "what": "quoi",
    "All models on the same splits of the rows that are learned from ({splits}); those of group 1 cannot be told apart from "
    "the best. The simplest of them is {name}.":
        "Tous les modèles sur les mêmes partages des lignes d’apprentissage ({splits}) ; ceux du groupe 1 ne se "
        "distinguent pas du meilleur. Le plus simple d’entre eux est {name}.",
    "Errors with 95 % intervals": "Erreurs avec leurs intervalles à 95 %",
    "model": "modèle",
    "group": "groupe",
    "length": "longueur",
    "seconds": "secondes",
    "Findings": "Constats",
    "how serious": "gravité",
    "where": "où",
    "what to do": "que faire",
    "{n} were looked for and not found: {codes}.": "{n} ont été cherchées sans être trouvées : {codes}.",
    "What goes with {target}, each column alone, from 0 to 1": "Ce qui va avec {target}, chaque colonne seule, de 0 à 1",
    "column": "colonne",
    "association": "association",
    "The models learn from {train}; {test}, drawn at random, judge them, and were not looked at before.":
        "Les modèles apprennent de {train} ; {test}, tirées au hasard, les jugent et n’ont pas été regardées avant.",
    "All rows are learned from, and none judges: how good the models are on new rows is not known.":
        "Toutes les lignes servent à apprendre et aucune ne juge : la qualité sur de nouvelles lignes n’est pas connue.",
    "What the file does not say, and was guessed": "Ce que le fichier ne dit pas et qui a été deviné",
    "taken as": "pris pour",
    "because": "parce que",
    "say otherwise with": "dire autrement par",
    "What of the file is not here:": "Ce qui du fichier n’est pas ici :",
    "The columns, in the {rows} that are learned from": "Les colonnes, dans {rows} d’apprentissage",
    "type": "type",
    "what it holds": "ce qu’elle contient",
    "The same in Python, with every guess written out": "La même lecture en Python, tout ce qui a été deviné écrit",
    "Each decision is the sum of its terms and of the decision at a reference, the mean row. The terms are all there is: "
    "nothing else enters the decision.":
        "Chaque décision est la somme de ses termes et de la décision en une référence, la ligne moyenne. Il n’y a que "
        "les termes : rien d’autre n’entre dans la décision.",
    "Row {row}, {why}. {model}: ": "Ligne {row}, {why}. {model} : ",
    "called {predicted}, rightly.": "dit {predicted}, à raison.",
    "called {predicted}, truly {truth}.": "dit {predicted}, en vérité {truth}.",
    "predicted {predicted}, truly {truth}.": "prédit {predicted}, en vérité {truth}.",
    "for {positive} (+) or {negative} (−)": "pour {positive} (+) ou {negative} (−)",
    "adds": "ajoute",
    "at the reference": "à la référence",
    "together": "ensemble",
    "{n} together": "{n} ensemble",
    "{n} of smaller shares": "{n} de moindre part",
    "In a terminal": "Dans un terminal",
    "As a recipe, recipe.toml, for: chemin learn recipe.toml":
        "Comme recette, recipe.toml, pour : chemin learn recipe.toml",
    "In Python": "En Python",
    "The same data give the same study: everything that is drawn comes from the seed {seed}. Data {data}, rows that judge "
    "{rows}.":
        "Les mêmes données donnent la même étude : tout ce qui est tiré vient de la graine {seed}. Données {data}, lignes "
        "qui jugent {rows}.",
    "Made with": "Fait avec",
    "library": "bibliothèque",
    "version": "version",
    "What each step took": "Ce que chaque étape a pris",
    "step": "étape",
}  # fmt: skip

OF_SCRIPTS = {  # sentences of the page's script
    "{right} of the {all} rows learned from are on the side of their class.":
        "{right} des {all} lignes d’apprentissage sont du côté de leur classe.",
    "Predictions of the {all} rows learned from are off by {error} on average.":
        "Les prédictions des {all} lignes d’apprentissage s’écartent de {error} en moyenne.",
    "{plus} pixels speak for {positive}, {minus} for {negative}.":
        "{plus} pixels parlent pour {positive}, {minus} pour {negative}.",
    "Which machine": "Quelle machine",
    "λ₁, the penalty: to the right a shorter model": "λ₁, la pénalité : à droite, un modèle plus court",
    "← next event": "← événement suivant",
    "previous event →": "événement précédent →",
    "chosen λ₁": "λ₁ choisi",
    "Coefficients along the path": "Les coefficients le long du chemin",
    "Cross-validated error": "Erreur de validation croisée",
    "Cross-validated loss": "Perte de validation croisée",
    "coefficient × spread": "coefficient × écart type",
    "The plane of {a} and {b}: where the decision changes": "Le plan de {a} et {b} : où la décision change",
    "Rows learned from: truth to the right, prediction upwards":
        "Lignes d’apprentissage : la vérité vers la droite, la prédiction vers le haut",
    "Pixels: blue speaks for {positive}, orange for {negative}":
        "Pixels : le bleu parle pour {positive}, l’orange pour {negative}",
    "none": "aucune",
    "What each term adds for the row": "Ce que chaque terme ajoute pour la ligne",
    "term": "terme",
    "adds": "ajoute",
    "decision at the mean row, and in all": "décision à la ligne moyenne, et en tout",
    "The terms at this λ₁, in the order in which they enter": "Les termes à ce λ₁, dans l’ordre où ils entrent",
    "λ₁ = {l1}: {terms}": "λ₁ = {l1} : {terms}",
    "{n} term": "{n} terme",
    "{n} terms": "{n} termes",
    "{n} row on the margin": "{n} ligne sur la marge",
    "{n} rows on the margin": "{n} lignes sur la marge",
    "cross-validated: {error}": "en validation croisée : {error}",
    "like {row}, {kernel}": "comme {row}, {kernel}",
    "row {name}": "la ligne {name}",
    "a row": "une ligne",
    "Last event, at λ₁ = {l1}: {what}.": "Dernier événement, à λ₁ = {l1} : {what}.",
    "{name} enters": "{name} entre",
    "{name} leaves": "{name} sort",
    "{name} comes to the margin": "{name} arrive sur la marge",
    "{name} goes to the wrong side of the margin": "{name} passe du mauvais côté de la marge",
    "{name} leaves the margin, well decided": "{name} quitte la marge, bien décidée",
    "✓ Optimal: relative duality gap {gap}, computed in this page from the rows it carries.":
        "✓ Optimal : saut de dualité relatif {gap}, calculé dans cette page à partir des lignes qu’elle porte.",
    "✓ A path to a tolerance of {tolerance}, not an exact one: relative duality gap {gap}, computed in this page from "
    "the rows it carries.":
        "✓ Un chemin à la tolérance {tolerance}, non exact : saut de dualité relatif {gap}, calculé dans cette page à "
        "partir des lignes qu’elle porte.",
    "✗ Not optimal: relative duality gap {gap}, computed in this page from the rows it carries.":
        "✗ Pas optimal : saut de dualité relatif {gap}, calculé dans cette page à partir des lignes qu’elle porte.",
    "≈ Between two breakpoints that this page carries: relative duality gap {gap}, computed here. At the breakpoints the "
    "solution is exact.":
        "≈ Entre deux points de rupture que cette page porte : saut de dualité relatif {gap}, calculé ici. Aux points de "
        "rupture, la solution est exacte.",
    "Python’s word: optimal at the breakpoint before, relative duality gap {gap}. This page does not carry what it would "
    "take to compute it again.":
        "Parole de Python : optimal au point de rupture précédent, saut de dualité relatif {gap}. Cette page ne porte pas "
        "ce qu’il faudrait pour le recalculer.",
    "Python’s word: a path to a tolerance of {tolerance}, relative duality gap {gap} at the breakpoint before. This page "
    "does not carry what it would take to compute it again.":
        "Parole de Python : un chemin à la tolérance {tolerance}, saut de dualité relatif {gap} au point de rupture "
        "précédent. Cette page ne porte pas ce qu’il faudrait pour le recalculer.",
    "✓ The model in use has the terms chosen at λ₁ = {l1}, solved for again with λ₁ = {inner} and λ₂ = {l2}: optimal, "
    "relative duality gap {gap}, computed in this page. Cross-validated: {error}.":
        "✓ Le modèle employé a les termes choisis à λ₁ = {l1}, résolus de nouveau avec λ₁ = {inner} et λ₂ = {l2} : "
        "optimal, saut de dualité relatif {gap}, calculé dans cette page. Validation croisée : {error}.",
    "✗ The model in use is not optimal: relative duality gap {gap}, computed in this page.":
        "✗ Le modèle employé n’est pas optimal : saut de dualité relatif {gap}, calculé dans cette page.",
}  # fmt: skip

NOUNS = {
    "row": ("ligne", "lignes"),
    "other row": ("autre ligne", "autres lignes"),
    "column": ("colonne", "colonnes"),
    "term": ("terme", "termes"),
    "other term": ("autre terme", "autres termes"),
    "machine": ("machine", "machines"),
    "model": ("modèle", "modèles"),
    "step": ("étape", "étapes"),
    "other thing": ("autre chose", "autres choses"),
}

TERMS = {
    "error": "erreur",
    "balanced error": "erreur équilibrée",
    "precision": "précision",
    "recall": "rappel",
    "median absolute error": "erreur absolue médiane",
    "exact": "loi exacte",
    "BCa bootstrap": "bootstrap BCa",
    "problem": "problème",
    "warning": "attention",
    "note": "remarque",
    "failed": "en échec",
    "timed out": "trop long",
    "skipped": "laissé de côté",
    "cancelled": "interrompu",
    "variables": "variables",
    "variables and couples": "variables et couples",
    "trees": "arbres",
    "support vectors": "vecteurs supports",
    "leaves": "feuilles",
    "read": "lire",
    "look": "regarder",
    "linear": "modèle linéaire",
    "basis": "base de noyaux",
    "compare": "comparer",
    "explain": "expliquer",
}

REASONS = {
    "the surest of the wrong ones": "la plus sûre des erreurs",
    "right, and the closest decision": "juste, et la décision la plus serrée",
    "the surest for ": "la plus sûre pour ",
    "predicted too high, by most": "prédite trop haut, le plus",
    "predicted too low, by most": "prédite trop bas, le plus",
    "the closest prediction": "la prédiction la plus proche",
}

"""What are findings called in French? By their codes: what was seen, and what to do about it."""

from __future__ import annotations

FINDINGS = {
    "target-copy": (
        "colonnes où se lit la cible",
        "Laissez-les de côté : on ne les connaîtra pas quand le modèle servira.",
    ),
    "leak": (
        "colonnes qui prédisent seules la cible, loin devant toutes les autres",
        "Demandez quand chacune a été notée : si c’est une fois la cible connue, laissez-la de côté.",
    ),
    "one-class": (
        "une cible d’une seule valeur",
        "Prenez des lignes d’autres valeurs, ou nommez une autre cible.",
    ),
    "tiny-class": (
        "classes de moins de cinq lignes, absentes de certains plis",
        "Trouvez-en d’autres lignes, joignez-les à d’autres classes, ou laissez-les de côté.",
    ),
    "infinite": (
        "valeurs infinies",
        "Remplacez-les par des nombres ou par des manques : aucun modèle ne les prend.",
    ),
    "imbalance": (
        "classes rares",
        "Jugez par le rappel, la précision ou l’AUC plutôt que par l’erreur ; pondérez les classes ; gardez les plis "
        "stratifiés.",
    ),
    "duplicate-rows": (
        "lignes présentes plusieurs fois",
        "N’en gardez qu’une, ou gardez les copies dans un même pli : des deux côtés d’une coupure elles sont retenues, "
        "non prédites.",
    ),
    "contradiction": (
        "entrées égales de classes différentes",
        "Aucun modèle ne peut avoir raison sur toutes ces lignes : cherchez une colonne qui manque, ou de fausses "
        "étiquettes.",
    ),
    "duplicate-columns": (
        "colonnes qui disent la même chose qu’une autre",
        "N’en gardez qu’une : les termes d’un modèle se partagent entre elles.",
    ),
    "missing-code": (
        "nombres qui ressemblent à des codes de manque",
        "Si c’en est, relisez avec missing=, par exemple missing={'colonne': ['-1']}.",
    ),
    "number-code": (
        "nombres qui sont peut-être des noms",
        "Si c’en est, relisez avec types={'colonne': 'category'}.",
    ),
    "missing-with-target": (
        "manques qui vont avec la cible",
        "Gardez une colonne pour le manque (`Prepare` le fait), et demandez s’il était là avant que la cible fût "
        "connue.",
    ),
    "outlier": (
        "valeurs bien au-delà de toutes les autres",
        "Regardez ces lignes et corrigez ce qui est faux ; si elles sont justes, prenez des logarithmes, ou une perte "
        "qui les supporte.",
    ),
    "few-rows": (
        "peu de lignes pour beaucoup de colonnes",
        "Choisissez des modèles de peu de colonnes (`SparseSVCCV`), et jugez-les sur des lignes qu’ils n’ont pas vues.",
    ),
    "sorted-by-target": (
        "lignes dans l’ordre de la cible",
        "Mêlez-les avant de couper : les premières lignes ne sont pas comme les dernières.",
    ),
    "time-order": (
        "lignes dans l’ordre du temps",
        "S’il s’agit de prédire l’avenir, éprouvez sur les dernières lignes, non sur des lignes au hasard.",
    ),
    "drift": (
        "nombres qui montent ou descendent de ligne en ligne",
        "Si les lignes ont été recueillies dans cet ordre, éprouvez sur les dernières, et cherchez ce qui a changé.",
    ),
    "similar-words": (
        "mots qui ne diffèrent que par la casse, les accents ou les espaces",
        "Écrivez-les d’une seule façon, par exemple avec .str.strip().str.lower().",
    ),
    "many-words": (
        "catégories de beaucoup de mots",
        "Joignez les mots rares, ou laissez la colonne de côté : un mot vu une seule fois ne dit rien.",
    ),
    "blank-row": ("lignes sans aucune valeur", "Laissez-les de côté."),
    "missing": (
        "colonnes à manques",
        "`Prepare` les comble ; demandez pourquoi ils sont là.",
    ),
    "missing-together": (
        "colonnes qui manquent dans les mêmes lignes",
        "Un manque les dit tous : demandez ce que ces lignes ont en commun.",
    ),
    "empty": ("colonnes sans aucune valeur", "Laissez-les de côté."),
    "constant": (
        "colonnes d’une seule valeur",
        "Laissez-les de côté : elles ne disent rien de ces lignes.",
    ),
    "nearly-constant": (
        "colonnes d’une seule valeur, à quelques lignes près",
        "Ce qu’elles disent repose sur ces quelques lignes.",
    ),
    "identifier": (
        "colonnes qui nomment les lignes",
        "Gardez-les comme noms, non comme entrées.",
    ),
    "scales": (
        "écarts types mille fois différents",
        "Ramenez les colonnes à une même échelle (`Prepare`, `standardize=True`) : pénalités et distances ne voient "
        "que la plus étendue.",
    ),
    "sentences": (
        "colonnes de phrases",
        "`Prepare` compte leurs mots les plus fréquents ; les noyaux de textes les comparent entières.",
    ),
}

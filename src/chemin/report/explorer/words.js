// What is said, in the language of the page?

const HIGH_SIGN = / (?=[;:?!%])/g; // before which French puts a space that no line is broken at

export class Words {
  constructor(language, sentences) {
    this.locale = language;
    this.sentences = sentences;
  }

  say(sentence, values = {}) {
    const template = this.sentences[sentence]?.replace(HIGH_SIGN, "\u00a0") ?? sentence;
    return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  // Return how many there are, in the singular or the plural of the language.
  count(n, one, more) {
    const single = this.locale === "fr" ? n < 2 : n === 1;
    return this.say(single ? one : more, { n });
  }

  number(value, digits = 4) {
    if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) {
      return value.toExponential(Math.min(digits - 1, 1)).replace(".", this.locale === "fr" ? "," : ".");
    }
    return value.toLocaleString(this.locale, { maximumSignificantDigits: digits, useGrouping: false });
  }

  percent(share) {
    return `${(100 * share).toLocaleString(this.locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })}\u202f%`;
  }
}

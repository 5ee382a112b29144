// In which words does a page of the studio speak, and how does it ask its server?

import { Words } from "./words.js";

// Return the words that a page carries.
export function wordsOf(document) {
  const { language, words } = JSON.parse(document.getElementById("words").textContent);
  return new Words(language, words);
}

// Return what the server says to a request: its data, or what is wrong.
export async function ask(address, words, options = {}) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    return { error: words.say("The studio does not answer. What was learned is kept: start it again, and open the address that it shows.") };
  }
  if (answer.status === 401) {
    return { error: words.say("The studio was started again: open the address that the terminal shows.") };
  }
  return answer.json().catch(() => ({ error: `${answer.status} ${answer.statusText}` }));
}

// Who hands in the token? This page does, from behind the # of its address, which no server is ever sent.

const token = decodeURIComponent(location.hash.slice(1));
const answer = token ? await fetch("/enter", { method: "POST", body: token }).catch(() => null) : null;
if (answer?.ok) {
  location.replace(location.pathname + location.search);
} else {
  document.getElementById("wait").hidden = true;
  document.getElementById("closed").hidden = false;
}
addEventListener("hashchange", () => location.reload()); // the address of the terminal, in this tab

// The frame of every page: the More menu, the dialog with keyboard shortcuts, copying.
document.addEventListener("click", (event) => {
  const menu = document.querySelector(".tg-more[open]");
  if (menu && !menu.contains(event.target)) menu.open = false;
  const opener = event.target.closest?.("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  else if (event.target.matches?.("dialog[open]")) event.target.close(); // the backdrop
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const menu = document.querySelector(".tg-more[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  }
  if (event.key !== "?" || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  const dialog = document.getElementById("tg-shortcuts");
  if (dialog && !dialog.open) dialog.showModal();
});
// Copy a text; false if the browser does not allow it. Without HTTPS, browsers have no `navigator.clipboard`.
window.tengenCopy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
};

// The upload form: a second click while the first is on its way does nothing, and a file can be dropped on it.
for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", () => {
    for (const button of form.querySelectorAll("button")) setTimeout(() => { button.disabled = true; });
  });
  addEventListener("pageshow", () => {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
  });
  const file = form.querySelector("input[type=file]");
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) file.files = event.dataTransfer.files;
  });
}

// Forms that take records: a second click while the first is on its way does nothing; files can be dropped on them; and
// where a form says so ([data-each]), several files go one by one, so that each has its answer as soon as it is there.
for (const form of document.querySelectorAll("form[data-once]")) {
  const input = form.querySelector("input[type=file]");
  const results = form.dataset.each && document.querySelector(form.dataset.each);

  form.addEventListener("submit", (event) => {
    const busy = () => able(form, false);
    if (!results || input.files.length < 2) return void setTimeout(busy); // the button's own value is sent first
    event.preventDefault();
    busy();
    each(form, [...input.files], results).finally(() => able(form, true));
  });
  addEventListener("pageshow", () => able(form, true));

  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
}

function able(form, yes) {
  for (const button of form.querySelectorAll("button")) button.disabled = !yes;
}

async function each(form, files, results) {
  results.replaceChildren();
  for (const file of files) {
    const body = new FormData();
    body.set("csrf_token", form.elements.csrf_token.value);
    body.append("file", file);
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } }).catch(() => null);
    const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page?.querySelectorAll(`${form.dataset.each} > *`) ?? [];
    if (found.length) {
      results.append(...found);
    } else {
      const said = document.createElement("p");
      said.className = "note bad";
      said.textContent = `${file.name}: ${page?.querySelector("h1")?.textContent ?? "?"}`;
      results.append(said);
    }
  }
}

// Times by the reader's own clock; the UTC that the page was made with stays beside it where it matters, else in the title.
const language = document.documentElement.lang;
const locale = navigator.languages.find((each) => each.split("-")[0] === language) ?? language; // en-GB rather than en
const own = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const zone = new Intl.DateTimeFormat(locale, {
  weekday: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});

export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (time.hasAttribute("data-both")) {
      if (at.getTimezoneOffset()) time.textContent += ` (${zone.format(at)})`;
    } else {
      time.title = time.textContent;
      time.textContent = own.format(at);
    }
  }
}

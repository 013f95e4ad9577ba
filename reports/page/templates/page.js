"use strict";
for (const table of document.querySelectorAll("table.sorted")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, n) => {
    const cell = row.cells[n];
    return cell.dataset.n === undefined ? cell.textContent : Number(cell.dataset.n);
  };
  const compare = (one, other) => {
    if (typeof one === typeof other) {
      return typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true });
    }
    return typeof one === "number" ? -1 : 1; // what has no number comes last
  };
  heads.forEach((head, n) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((a, b) => (down ? -1 : 1) * compare(value(a, n), value(b, n)));
      body.append(...rows);
    });
  });
}
for (const input of document.querySelectorAll(".filter input")) {
  const place = input.closest(".table");
  const rows = [...place.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase().replace(/\s+/g, " "));
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    rows.forEach((row, n) => {
      row.hidden = !words.every((word) => texts[n].includes(word));
      left += !row.hidden;
    });
    place.querySelector("output").textContent = words.length ? `${left} of ${rows.length}` : "";
  });
}
const open = () => {
  const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = at && at.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  if (at) at.scrollIntoView();
};
addEventListener("hashchange", open);
open();
document.documentElement.classList.add("scripted");
addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    const text = document.getElementById(copy.dataset.copy).textContent;
    const said = copy.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page opened as a file may not use the clipboard; the older way still works there
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = said), 1500);
  }
  const series = event.target.closest("[data-series]");
  if (series) {
    const on = series.getAttribute("aria-pressed") !== "true";
    for (const other of document.querySelectorAll("[data-series]")) other.setAttribute("aria-pressed", on && other === series);
    for (const drawn of document.querySelectorAll("figure g[class^='target-']")) {
      drawn.classList.toggle("dim", on && !drawn.classList.contains(`target-${series.dataset.series}`));
    }
  }
});
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => folded.forEach((one) => (one.open = false)));

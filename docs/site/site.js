// What scrolls sideways can be reached and scrolled by the keyboard.
for (const each of document.querySelectorAll("pre, .table-wrapper")) if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;

() => {
  const parts = (colour) => (colour.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const clear = (colour) => colour === "none" || (parts(colour).length > 3 && parts(colour)[3] === 0);
  const paper = (one) => {
    let at = one.closest("svg").parentElement;
    while (at && clear(getComputedStyle(at).backgroundColor)) at = at.parentElement;
    return parts(getComputedStyle(at || document.body).backgroundColor).slice(0, 3);
  };
  const probe = document.createElement("i");
  document.body.append(probe);
  const named = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  // grid lines, bands behind marks and the fill of bars with an edge carry nothing that is not said otherwise
  const quiet = new Set(["--rule", "--band", "--best"].map(named));
  const low = [];
  for (const one of document.querySelectorAll("svg text, svg path, svg rect, svg use, svg circle")) {
    if (one.closest("defs") || !one.checkVisibility()) continue;
    const style = getComputedStyle(one);
    let behind = paper(one);
    if (one.matches("text")) {
      const box = one.matches(".sign") && one.parentElement.querySelectorAll("rect");
      const under = box && [...box].filter((rect) => rect.compareDocumentPosition(one) & 4 && !clear(getComputedStyle(rect).fill)).pop();
      if (under && getComputedStyle(under).stroke === "none") behind = parts(getComputedStyle(under).fill).slice(0, 3);
      if (contrast(parts(style.fill).slice(0, 3), behind) < 4.5) low.push(`${style.fill} on ${behind}: ${one.outerHTML.slice(0, 90)}`);
      continue;
    }
    const colours = [style.stroke, style.fill].filter((colour) => !clear(colour));
    if (!colours.length || colours.some((colour) => quiet.has(colour)) || Number(style.opacity) < 1) continue;
    if (Math.max(...colours.map((colour) => contrast(parts(colour).slice(0, 3), behind))) < 3) {
      low.push(`${colours} on ${behind}: ${one.outerHTML.slice(0, 90)}`);
    }
  }
  probe.remove();
  return low;
}

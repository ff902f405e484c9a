// 16 px icons, 1.5 px strokes, drawn for this page. Each state has a shape of its own: colour is never the only sign.
const P: Record<string, string> = {
  running: '<circle cx="8" cy="8" r="5.25" class="ring"/><path d="M8 2.75a5.25 5.25 0 0 1 5.25 5.25"/>',
  ok: '<path d="m4 8.4 2.6 2.6L12 5.4"/>',
  failed: '<path d="m4.7 4.7 6.6 6.6m0-6.6-6.6 6.6"/>',
  cancelled: '<circle cx="8" cy="8" r="5"/><path d="m4.6 11.4 6.8-6.8"/>',
  password: '<circle cx="5.6" cy="10.2" r="2.6"/><path d="m7.5 8.4 5-5m-2 2 1.8 1.8"/>',
  input: '<path d="m3.5 5 3 3-3 3M8.5 11.5h4.5"/>',
  program: '<rect x="2.75" y="3.25" width="10.5" height="9.5" rx="1"/><path d="M2.75 6h10.5"/>',
  unknown: '<path d="M6.2 6.1a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.2v.3M8 11.9v.1"/>',
  idle: '<circle cx="8" cy="8" r="1.6" fill="currentColor" stroke="none"/>',
  hand: '<path d="M5.2 8.4V4.3a.95.95 0 0 1 1.9 0v3-4a.95.95 0 0 1 1.9 0v4-3.2a.95.95 0 0 1 1.9 0v4.7c0 2.5-1.3 4.4-3.5 4.4-1.5 0-2.4-.7-3.2-2L3 8.9c-.4-.9.7-1.6 1.3-.9z"/>',
  nolink: '<path d="M6.5 9.5 9.5 6.5M7 4.6l1-1a2.7 2.7 0 0 1 3.9 3.8l-1 1M9 11.4l-1 1a2.7 2.7 0 0 1-3.9-3.8l1-1M2.5 2.5l11 11"/>',
  caret: '<path d="m6 4.5 3.5 3.5L6 11.5"/>',
  down: '<path d="m4.5 6.5 3.5 3.5 3.5-3.5"/>',
  search: '<circle cx="7" cy="7" r="4.25"/><path d="m10.2 10.2 3.3 3.3"/>',
  more: '<g fill="currentColor" stroke="none"><circle cx="3.5" cy="8" r="1.2"/><circle cx="8" cy="8" r="1.2"/><circle cx="12.5" cy="8" r="1.2"/></g>',
  copy: '<rect x="5.75" y="5.75" width="7.5" height="7.5" rx="1.2"/><path d="M10.25 3.75v-.3a.7.7 0 0 0-.7-.7H3.45a.7.7 0 0 0-.7.7v6.1c0 .4.3.7.7.7h.3"/>',
  link: '<path d="M6.5 9.5l3-3M7 4.6l1-1a2.7 2.7 0 0 1 3.9 3.8l-1 1M9 11.4l-1 1a2.7 2.7 0 0 1-3.9-3.8l1-1"/>',
  download: '<path d="M8 2.75v7.5m-3-3 3 3 3-3M3 13.25h10"/>',
  close: '<path d="m4.2 4.2 7.6 7.6m0-7.6-7.6 7.6"/>',
  theme: '<circle cx="8" cy="8" r="5.25"/><path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor" stroke="none"/>',
  menu: '<path d="M2.75 4.5h10.5M2.75 8h10.5M2.75 11.5h10.5"/>',
  eye: '<path d="M1.8 8S4 3.75 8 3.75 14.2 8 14.2 8 12 12.25 8 12.25 1.8 8 1.8 8z"/><circle cx="8" cy="8" r="1.9"/>',
  plus: '<path d="M8 3v10M3 8h10"/>',
};
P.you = P.other = P.hand;

const made = new Map<string, Node>();
/** The one place that makes elements from a string: of this file, and of nothing else. */
export function icon(name: string, classes = ''): Node {
  const key = `${name} ${classes}`;
  let node = made.get(key);
  if (!node) {
    const t = document.createElement('template');
    t.innerHTML = `<svg class="i ${name} ${classes}" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${P[name] ?? P.idle}</svg>`;
    node = t.content.firstChild as Node;
    made.set(key, node);
  }
  return node.cloneNode(true);
}

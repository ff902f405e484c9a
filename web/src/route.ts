// Addresses within the page: #/@3, #/@3/2589d535, #/@3/b/9213, #/@3/b/9213-9980, each with ?q=. Pure.

export interface Route { tab: string; command?: string; from?: number; to?: number; query?: string }

export function readRoute(hash: string): Route | null {
  const m = /^#\/([^/?]+)(?:\/b\/(\d{1,15})(?:-(\d{1,15}))?|\/([0-9a-z-]{1,64}))?(?:\?q=(.*))?$/i.exec(hash);
  if (!m) return null;
  const route: Route = { tab: decoded(m[1]) };
  if (m[2] !== undefined) route.from = Number(m[2]);
  if (m[3] !== undefined) route.to = Number(m[3]);
  if (m[4] !== undefined) route.command = m[4];
  if (m[5] !== undefined) route.query = decoded(m[5]);
  return route;
}

export function writeRoute(r: Route): string {
  const where = r.from !== undefined ? `/b/${r.from}${r.to !== undefined ? `-${r.to}` : ''}` : r.command !== undefined ? `/${r.command}` : '';
  return `#/${encodeURIComponent(r.tab).replace(/%40/g, '@').replace(/%3A/g, ':')}${where}${r.query ? `?q=${encodeURIComponent(r.query)}` : ''}`;
}

function decoded(text: string): string {
  try { return decodeURIComponent(text); } catch { return text; }
}

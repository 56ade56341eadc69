import { run } from '../host/run.ts';

/** Every IPv4 range that the host has an address in or a route to, except through the interface `own`. */
export async function hostRanges(own: string): Promise<string[]> {
  const [addresses, routes] = await Promise.all([run('ip', ['-j', '-4', 'addr']), run('ip', ['-j', '-4', 'route'])]);
  return [...addressRanges(JSON.parse(addresses.stdout), own), ...routeRanges(JSON.parse(routes.stdout), own)];
}

type AddressRow = { ifname?: string; addr_info?: { local?: string; prefixlen?: number }[] };
type RouteRow = { dst?: string; dev?: string };

export function addressRanges(rows: readonly AddressRow[], own: string): string[] {
  return rows
    .filter((row) => row.ifname !== own)
    .flatMap((row) => row.addr_info ?? [])
    .map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}

export function routeRanges(rows: readonly RouteRow[], own: string): string[] {
  return rows.filter((row) => row.dev !== own).flatMap(({ dst }) => (dst === undefined ? [] : [dst]));
}

/** `host:port` of an instance manager, as requests name it; an IPv6 address is in brackets. */
export function managerPlace(place: string): { host: string; port: number } {
  const at = place.lastIndexOf(':');
  return { host: place.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(place.slice(at + 1)) };
}

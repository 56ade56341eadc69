import type { UnixOrTcp } from '@lateen/block-engine';

/** For messages: `/run/x.sock` or `10.0.0.7:10001`. */
export function endpointText(at: UnixOrTcp): string {
  return 'path' in at ? at.path : `${hostText(at.host)}:${at.port}`;
}

/** As nbdfuse, nbdcopy and qemu-img take it. The name of an export can be a secret: no URI belongs into a log. */
export function nbdUri(at: UnixOrTcp, exportName: string): string {
  const name = encodeURIComponent(exportName);
  if ('path' in at) return `nbd+unix:///${name}?socket=${encodeURIComponent(at.path)}`;
  return `nbd://${hostText(at.host)}:${at.port}/${name}`;
}

function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

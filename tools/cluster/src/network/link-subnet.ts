import { AppError } from '@lateen/errors';

/** The two ends of the link between the host and a cluster. */
export interface Link {
  hostAddress: string;
  clusterAddress: string;
  prefixLength: 30;
}

/** An IPv4 range in use on the host, `10.1.0.0/16` or a single address. */
export type UsedRange = string;

/**
 * 198.18.0.0/15 is reserved for tests of network devices (RFC 2544), so hardly any host, VPN or container network uses it. It has 32,768
 * links of four addresses.
 */
const poolStart = toNumber('198.18.0.0');
const linksInPool = 2 ** 15;
const linkSize = 4;

/**
 * Chooses the link of a cluster: always the same for an ID while nothing on the host overlaps it, else the next free one. @throws
 * SUBNET_TAKEN when the whole pool is in use
 */
export function chooseLink(id: string, used: readonly UsedRange[]): Link {
  const ranges = used.map(parseRange).filter((range) => range !== undefined);
  const first = Number.parseInt(id, 16) % linksInPool;
  for (let step = 0; step < linksInPool; step++) {
    const start = poolStart + ((first + step) % linksInPool) * linkSize;
    const taken = ranges.some((range) => range.start < start + linkSize && start <= range.end);
    if (!taken) return { hostAddress: toText(start + 1), clusterAddress: toText(start + 2), prefixLength: 30 };
  }
  throw new AppError(
    'SUBNET_TAKEN',
    'the routes of this host cover all of 198.18.0.0/15, and a cluster needs four free addresses in it',
    {
      nextStep: 'Find the route with `ip route`, and remove it as long as the cluster runs.',
    },
  );
}

/** First and last address of a range as numbers; undefined for other protocols than IPv4, and for the default route. */
export function parseRange(text: string): { start: number; end: number } | undefined {
  const match = /^(\d+\.\d+\.\d+\.\d+)(?:\/(\d+))?$/.exec(text);
  const address = match?.[1];
  if (address === undefined) return undefined;
  const length = match?.[2] === undefined ? 32 : Number(match[2]);
  if (length === 0) return undefined;
  const size = 2 ** (32 - length);
  const start = Math.floor(toNumber(address) / size) * size;
  return { start, end: start + size - 1 };
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

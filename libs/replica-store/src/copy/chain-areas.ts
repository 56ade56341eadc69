import type { Extent, StatusLink } from '@lateen/block-engine';
import { type Area, unsharedAreas } from '@lateen/file-extents';
import { alignedAreas } from '@lateen/volume';
import { chainRuns } from './layer-runs.ts';

/** A snapshot of a replica, opened with all layers below it. */
export interface OpenChain {
  readonly link: StatusLink;
  /** Names of the snapshots of its layers, from the opened one downwards. */
  readonly chain: readonly string[];
}

export interface ChainAreasRequest {
  readonly snapshot: OpenChain;
  /** Another snapshot of the same replica, opened at the same time: areas that are equal in both are left out. */
  readonly since?: OpenChain | undefined;
  /** Areas before it are left out. */
  readonly startBytes: bigint;
  /** A power of two: the starts and ends of areas are rounded outwards to multiples of it. */
  readonly granularityBytes: number;
}

/**
 * Areas of a snapshot that have data, or that may differ from another snapshot of the replica, whichever is older. Ascending, not
 * adjacent, within the snapshot. Only tables are read. Two snapshots are equal wherever neither has anything in a layer above the
 * newest layer that they share; written zeros count as something. Memory is limited to one answer of each link.
 * @throws the links' errors; the signal's reason
 */
export async function* chainAreas(
  { snapshot, since, startBytes, granularityBytes }: ChainAreasRequest,
  signal: AbortSignal,
): AsyncGenerator<Extent, void, undefined> {
  const { sizeBytes } = snapshot.link;
  const granule = BigInt(granularityBytes);
  const range = { from: (startBytes / granule) * granule, to: sizeBytes };
  const areas =
    since === undefined ? dataAreas(snapshot.link, range, signal) : differing(snapshot, since, range, signal);
  for await (const area of alignedAreas(areas, { granularityBytes, sizeBytes: Number(sizeBytes) }))
    yield { startBytes: BigInt(area.startBytes), lengthBytes: BigInt(area.endBytes - area.startBytes) };
}

interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

function differing(snapshot: OpenChain, since: OpenChain, range: Range, signal: AbortSignal): AsyncIterable<Area> {
  const shared = snapshot.chain.find((name) => since.chain.includes(name));
  const above = ({ link, chain }: OpenChain) => {
    const layers = shared === undefined ? chain.length : chain.indexOf(shared);
    return ownAreas(link, layers, range, signal);
  };
  return unsharedAreas(above(snapshot), above(since));
}

/** Areas that read as zeros do not count as data, even when the zeros were written. */
async function* dataAreas(link: StatusLink, { from, to }: Range, signal: AbortSignal): AsyncGenerator<Area> {
  for await (const { depth, isZero, at, lengthBytes } of chainRuns(link, signal, from))
    if (depth > 0 && !isZero) yield areaOf(at, lengthBytes, to);
}

/** Areas that lie in the uppermost layers. Sends no request when there are no such layers. */
async function* ownAreas(link: StatusLink, layers: number, { from, to }: Range, signal: AbortSignal) {
  if (layers === 0) return;
  for await (const { depth, at, lengthBytes } of chainRuns(link, signal, from)) {
    if (at >= to) return;
    if (depth > 0 && depth <= layers) yield { ...areaOf(at, lengthBytes, to), home: undefined };
  }
}

const areaOf = (at: bigint, lengthBytes: number, to: bigint): Area => {
  const end = at + BigInt(lengthBytes);
  return { startBytes: Number(at), endBytes: Number(end < to ? end : to) };
};

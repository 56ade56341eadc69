import type { DiskSpec, LonghornNode, LonghornNodeSpec } from '@lateen/storage-types';
import { checkNodeUpdate, deniedByWebhook } from '@lateen/volume-decisions';
import { refused } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import { onlyFields } from './only-fields.ts';
import { readInput } from './read-input.ts';

/** More than any machine has. */
const disksMax = 256;

const diskFields = [
  ...['diskType', 'path', 'diskDriver', 'allowScheduling', 'evictionRequested', 'storageReserved', 'tags'],
];

/** What `diskUpdate` of a node stores: the disks that were sent, in place of all that were there. @throws REST_REFUSED */
export function plannedDisks(node: LonghornNode, body: unknown): LonghornNodeSpec {
  const { disks } = (typeof body === 'object' && body !== null ? body : {}) as { disks?: unknown };
  if (typeof disks !== 'object' || disks === null || Array.isArray(disks))
    throw refused('cannot read diskUpdateInput: disks is not a map of disks by name');
  const entries = Object.entries(disks);
  if (entries.length > disksMax) throw refused(`cannot read diskUpdateInput: there are more than ${disksMax} disks`);
  const after = { ...node.spec, disks: Object.fromEntries(entries.map(([name, disk]) => [name, diskOf(disk)])) };
  const seen = { name: nameOf(node), before: node.spec, after, diskStatus: node.status?.diskStatus ?? {} };
  const refusal = checkNodeUpdate(seen) ?? newBlockDisk(node.spec, after);
  if (refusal !== undefined) throw refused(deniedByWebhook(refusal));
  return after;
}

function diskOf(disk: unknown): DiskSpec {
  const input = readInput('diskUpdate', onlyFields(disk, diskFields));
  return {
    diskType: (input.text('diskType') || 'filesystem') as NonNullable<DiskSpec['diskType']>,
    path: input.text('path'),
    diskDriver: input.text('diskDriver') as NonNullable<DiskSpec['diskDriver']>,
    allowScheduling: input.flag('allowScheduling'),
    evictionRequested: input.flag('evictionRequested'),
    storageReserved: input.number('storageReserved'),
    tags: [...new Set(input.texts('tags'))].sort(),
  };
}

/** One that came along with an installation may stay. */
function newBlockDisk(before: LonghornNodeSpec, { disks = {} }: LonghornNodeSpec): string | undefined {
  const isNew = ([name, { diskType }]: [string, DiskSpec]) => before.disks?.[name]?.diskType !== diskType;
  const wrong = Object.entries(disks).find((one) => one[1].diskType !== 'filesystem' && isNew(one));
  if (wrong === undefined) return undefined;
  return `disk ${wrong[0]} of type ${wrong[1].diskType} is not supported by this volume manager: take a file system, with diskType filesystem`;
}

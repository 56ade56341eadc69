import type { AttachmentTicket, Backup, Snapshot, Volume } from '@lateen/storage-types';
import { readSettings } from '@lateen/volume-decisions';
import { describe, expect, it } from 'vitest';
import { withInternalTickets } from './internal-tickets.ts';

const longhorn = { apiVersion: 'longhorn.io/v1beta2' };
const snapshot: Snapshot = {
  ...longhorn,
  kind: 'Snapshot',
  metadata: { name: 's', namespace: 'longhorn-system' },
  spec: { volume: 'v', createSnapshot: true },
};
const volumeOn = (nodeID: string, currentNodeID: string, ownerID: string): Volume => ({
  ...longhorn,
  kind: 'Volume',
  metadata: { name: 'v', namespace: 'longhorn-system' },
  spec: { nodeID },
  status: { state: currentNodeID === '' ? 'detached' : 'attached', currentNodeID, ownerID },
});
const ticket = (id: string, type: AttachmentTicket['type'] & string, nodeID: string): AttachmentTicket => ({
  ...{ id, type, nodeID, generation: 0 },
  parameters: { disableFrontend: type === 'csi-attacher' ? 'false' : 'any', lastAttachedBy: '' },
});
const own = (nodeID: string) => ({
  'snapshot-controller-s': ticket('snapshot-controller-s', 'snapshot-controller', nodeID),
});
const csi = (nodeID: string) => ({ [`csi-${nodeID}`]: ticket(`csi-${nodeID}`, 'csi-attacher', nodeID) });
const noNeeds = {
  clones: [],
  backupsOf: () => [],
  canStore: () => true,
  settings: readSettings([]).settings,
  isLost: () => false,
};

/** The tickets after repeated passes until nothing changes; limited to a few passes. */
function settled(
  tickets: Record<string, AttachmentTicket>,
  volume: Volume,
  lost: string,
): Record<string, AttachmentTicket> {
  const needs = { ...noNeeds, volume, snapshots: [snapshot], isLost: (node: string) => node === lost };
  let now = tickets;
  for (let pass = 0; pass < 3; pass++) {
    const next = withInternalTickets(now, needs);
    if (next === undefined) return now;
    now = next;
  }
  return expect.fail('the tickets are set anew in each pass, and none is ever served');
}

describe('tickets of the manager itself', () => {
  it('are on the node of the volume, or on the node of its owner', () => {
    expect(settled({}, volumeOn('b', 'b', 'a'), '')).toEqual(own('b'));
    expect(settled({}, volumeOn('', '', 'a'), '')).toEqual(own('a'));
  });

  it('stay beside a ticket of another type on a lost node, because the engine there may still run', () => {
    expect(settled({ ...csi('b'), ...own('b') }, volumeOn('b', 'b', 'a'), 'b')).toEqual({ ...csi('b'), ...own('b') });
    expect(settled(csi('b'), volumeOn('b', 'b', 'a'), 'b')).toEqual({ ...csi('b'), ...own('b') });
  });

  it('leave a lost node when no other ticket wants the volume there', () => {
    expect(settled(own('b'), volumeOn('b', 'b', 'a'), 'b')).toEqual(own('a'));
    expect(settled({ ...csi('c'), ...own('b') }, volumeOn('b', 'b', 'a'), 'b')).toEqual({ ...csi('c'), ...own('c') });
  });

  it('stay on their node when every other node is lost, too', () => {
    expect(settled(own('b'), volumeOn('b', 'b', 'b'), 'b')).toEqual(own('b'));
  });

  it('for replica rebuilds exist only while no other ticket wants the volume, including other work of the manager', () => {
    const volume = volumeOn('', '', 'a');
    const needs = { ...noNeeds, volume, forReplicas: 'volume-rebuilding-controller' as const };
    const id = 'volume-rebuilding-controller-v';
    const rebuild = { [id]: ticket(id, 'volume-rebuilding-controller', 'a') };
    expect(withInternalTickets({}, { ...needs, snapshots: [] })).toEqual(rebuild);
    expect(withInternalTickets(rebuild, { ...needs, snapshots: [] })).toBeUndefined();
    expect(withInternalTickets({ ...rebuild, ...csi('b') }, { ...needs, snapshots: [] })).toEqual(csi('b'));
    expect(Object.keys(withInternalTickets(rebuild, { ...needs, snapshots: [snapshot] }) ?? {})).toEqual(
      Object.keys(own('a')),
    );
    expect(withInternalTickets(rebuild, { ...noNeeds, volume, snapshots: [] })).toEqual({});
  });

  it.each<[string, boolean, string[]]>([
    ['', true, ['backup-controller-b']],
    ['Pending', true, ['backup-controller-b']],
    ['Pending', false, []],
    ['InProgress', false, ['backup-controller-b']],
    ['Unknown', false, ['backup-controller-b']],
    ['Completed', true, []],
    ['Error', true, []],
  ])('keep a volume attached for a backup in state "%s" (target available: %s)', (state, isAvailable, ids) => {
    const backup = {
      ...longhorn,
      kind: 'Backup',
      metadata: { name: 'b' },
      spec: { snapshotName: 's' },
      status: { state },
    };
    const needs = {
      ...noNeeds,
      volume: volumeOn('', '', 'a'),
      snapshots: [{ ...snapshot, status: { readyToUse: true } }],
      backupsOf: () => [backup as Backup],
      canStore: () => isAvailable,
    };
    expect(Object.keys(withInternalTickets({}, needs) ?? {}).filter((id) => id.startsWith('backup'))).toEqual(ids);
  });
});

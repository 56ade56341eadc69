import type { AttachmentTicket, TicketType } from '@lateen/storage-types';
import { ticketTypes, volumeStates } from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttachmentSeen } from './attachment-seen.ts';
import { decideAttachment } from './decide-attachment.ts';
import { ticketNode } from './ticket-node.ts';
import { ticketPriority } from './ticket-priority.ts';

const t0 = Date.parse('2026-03-01T00:00:00Z');
const ticket = (type: TicketType, nodeID: string, disableFrontend = 'false', generation = 0): AttachmentTicket => ({
  id: '',
  type,
  nodeID,
  parameters: { disableFrontend, lastAttachedBy: `${type}-user` },
  generation,
});
const csi = (node: string) => ticket('csi-attacher', node);
const seen = (tickets: Record<string, AttachmentTicket>, parts: Partial<AttachmentSeen> = {}): AttachmentSeen => ({
  volume: 'vol',
  namespace: 'longhorn-system',
  tickets,
  statuses: {},
  wanted: { nodeID: '', disableFrontend: false },
  has: { state: 'detached', nodeID: '', frontendDisabled: false },
  downNodes: new Map(),
  leftNodes: new Set(),
  attachedByKubernetes: new Set(),
  nowMs: t0,
  ...parts,
});
const attachedTo = (nodeID: string, disableFrontend = false) =>
  ({
    wanted: { nodeID, disableFrontend },
    has: { state: 'attached', nodeID, frontendDisabled: disableFrontend },
  }) as const;
const decide = (...of: Parameters<typeof seen>) => decideAttachment(seen(...of));
const conditionOf = (id: string, ...of: Parameters<typeof seen>) => decide(...of).statuses[id]?.conditions?.[0];

describe('priorities of tickets', () => {
  it.each<[TicketType, number]>([
    ['volume-restore-controller', 2000],
    ['volume-expansion-controller', 2000],
    ['longhorn-api', 1000],
    ['csi-attacher', 900],
    ['salvage-controller', 900],
    ['share-manager-controller', 900],
    ['snapshot-controller', 800],
    ['backup-controller', 800],
    ['volume-clone-controller', 800],
    ['volume-eviction-controller', 800],
    ['volume-rebuilding-controller', 800],
  ])('a ticket of type %s has priority %d', (type, priority) => {
    expect(ticketPriority({ type })).toBe(priority);
  });
});

describe('decideAttachment', () => {
  it('attaches to the node of the only ticket', () => {
    expect(decide({ a: csi('n1') })).toMatchObject({
      nodeID: 'n1',
      disableFrontend: false,
      lastAttachedBy: 'csi-attacher-user',
    });
  });
  it('detaches when no ticket is left', () => {
    expect(decide({}, attachedTo('n1'))).toMatchObject({ nodeID: '', lastAttachedBy: '', statuses: {} });
  });
  it('takes the highest priority, then the smallest id', () => {
    const tickets = { a: csi('n1'), b: ticket('longhorn-api', 'n2'), c: ticket('longhorn-api', 'n3') };
    expect(decide(tickets).nodeID).toBe('n2');
  });
  it('stays on its node when another ticket has the same priority, even if the ID of the other ticket is smaller', () => {
    expect(decide({ a: csi('n2'), b: csi('n1') }, attachedTo('n1')).nodeID).toBe('n1');
  });
  it('detaches for a ticket of higher priority on another node and attaches there afterwards', () => {
    const tickets = { a: csi('n1'), b: ticket('volume-restore-controller', 'n2', 'true') };
    expect(decide(tickets, attachedTo('n1')).nodeID).toBe('');
    const detaching = { state: 'detaching', nodeID: 'n1', frontendDisabled: false } as const;
    expect(decide(tickets, { has: detaching }).nodeID).toBe('');
    expect(decide(tickets)).toMatchObject({ nodeID: 'n2', disableFrontend: true });
  });
  it('detaches to change its front end when a ticket on the same node has a higher priority', () => {
    const tickets = { a: csi('n1'), b: ticket('volume-restore-controller', 'n1', 'true') };
    expect(decide(tickets, attachedTo('n1')).nodeID).toBe('');
    expect(decide(tickets)).toMatchObject({ nodeID: 'n1', disableFrontend: true });
  });
  it('keeps the current front end for a ticket that accepts either kind', () => {
    const rebuild = ticket('volume-rebuilding-controller', 'n1', 'any');
    expect(decide({ a: csi('n1'), b: rebuild }, attachedTo('n1')).statuses.b?.satisfied).toBe(true);
    expect(decide({ b: rebuild })).toMatchObject({ nodeID: 'n1', disableFrontend: true });
    expect(decide({ b: rebuild }, attachedTo('n1', true)).statuses.b?.satisfied).toBe(true);
    const expansion = ticket('volume-expansion-controller', 'n1', 'any');
    expect(decide({ a: csi('n1'), b: expansion })).toMatchObject({ nodeID: 'n1', disableFrontend: false });
  });
  it('does not attach a volume that must not be attached, and reports why', () => {
    const parts = { holdOff: 'the volume is faulted' };
    expect(decide({ a: csi('n1') }, parts).nodeID).toBe('');
    expect(conditionOf('a', { a: csi('n1') }, parts)).toMatchObject({
      status: 'False',
      message: 'the volume is faulted',
    });
  });
  it('ignores a ticket without a node', () => {
    expect(decide({ a: csi(''), b: csi('n1') }).nodeID).toBe('n1');
    expect(conditionOf('a', { a: csi('') })).toMatchObject({ reason: 'NoNode' });
  });
});

describe('the status of a ticket', () => {
  it("is satisfied on the requested node with the requested front end, and copies the ticket's generation", () => {
    const { statuses } = decide({ a: { ...csi('n1'), generation: 3 } }, attachedTo('n1'));
    expect(statuses.a).toMatchObject({ id: 'a', satisfied: true, generation: 3 });
  });
  it('is not satisfied while the volume attaches or is about to detach', () => {
    const attaching = {
      wanted: attachedTo('n1').wanted,
      has: { state: 'attaching', nodeID: '', frontendDisabled: false },
    } as const;
    expect(conditionOf('a', { a: csi('n1') }, attaching)).toMatchObject({
      reason: 'Waiting',
      message: 'the volume is attaching',
    });
    const leaving = { has: attachedTo('n1').has };
    expect(decide({ a: csi('n1') }, leaving).statuses.a?.satisfied).toBe(false);
  });
  it('names the ticket that has priority', () => {
    expect(conditionOf('a', { a: csi('n1'), b: csi('n2') }, attachedTo('n2'))?.message).toBe(
      'ticket b (csi-attacher) has priority and wants the volume on n2',
    );
    const mixed = { a: csi('n1'), b: ticket('volume-restore-controller', 'n1', 'true') };
    expect(conditionOf('a', mixed, attachedTo('n1', true))?.message).toBe(
      'the volume is attached without a device for ticket b',
    );
  });
  it('keeps its timestamp while nothing changes, so that nothing is written', () => {
    const first = decide({ a: csi('n1') });
    const again = decide({ a: csi('n1') }, { statuses: first.statuses, nowMs: t0 + 60_000 });
    expect(again.statuses).toEqual(first.statuses);
  });
  it('is removed with its ticket', () => {
    const { statuses } = decide({ a: csi('n1') });
    expect(decide({}, { statuses }).statuses).toEqual({});
  });
});

describe('a stranded ticket', () => {
  const tickets = { "ui/'1": ticket('longhorn-api', 'n1'), b: csi('n2') };
  it('is reported to the ticket that waits for it, with the command that removes it', () => {
    const { stranded } = decide(tickets, attachedTo('n1'));
    expect(stranded).toEqual({
      ticket: "ui/'1",
      blocks: ['b'],
      command: `kubectl patch volumeattachments.longhorn.io vol -n longhorn-system --type json -p '[{"op":"remove","path":"/spec/attachmentTickets/ui~1'\\''1"}]'`,
    });
    expect(conditionOf('b', tickets, attachedTo('n1'))).toMatchObject({
      reason: 'Stranded',
      message: expect.stringContaining(stranded?.command ?? 'command'),
    });
  });
  it('is not reported while no other node is wanted', () => {
    expect(decide({ a: ticket('longhorn-api', 'n1'), b: csi('n1') }, attachedTo('n1')).stranded).toBeUndefined();
  });
});

describe('tickets of a node that is down', () => {
  const down = (outOfService: boolean) => new Map([['n1', { outOfService }]]);
  const tickets = { a: csi('n1'), b: csi('n2') };
  const at = attachedTo('n1');
  it('stay while Kubernetes still has the volume attached to that node', () => {
    const decision = decide(tickets, { ...at, downNodes: down(false), attachedByKubernetes: new Set(['n1']) });
    expect(decision).toMatchObject({ drop: [], nodeID: 'n1' });
  });
  it('are dropped when Kubernetes no longer has the volume attached or the node is out of service', () => {
    const letGo = decide(tickets, { ...at, downNodes: down(false) });
    expect(letGo).toMatchObject({ drop: ['a'], nodeID: '' });
    expect(Object.keys(letGo.statuses)).toEqual(['b']);
    const outOfService = { ...at, downNodes: down(true), attachedByKubernetes: new Set(['n1']) };
    expect(decide(tickets, outOfService).drop).toEqual(['a']);
  });
  it('stay when they do not come from the CSI attacher or when the node is up', () => {
    expect(decide({ a: ticket('longhorn-api', 'n1') }, { ...at, downNodes: down(true) }).drop).toEqual([]);
    expect(decide(tickets, at).drop).toEqual([]);
  });
});

describe('tickets of a node that is cordoned', () => {
  const tickets = { a: csi('n1'), b: ticket('longhorn-api', 'n1'), c: ticket('longhorn-api', 'n2') };
  it('are dropped when they come from the API and the setting allows it', () => {
    const left = { ...attachedTo('n1'), leftNodes: new Set(['n1']) };
    expect(decide(tickets, left).drop).toEqual(['b']);
    expect(decide(tickets, attachedTo('n1')).drop).toEqual([]);
  });
});

it('a ticket of the manager itself chooses the node where the volume is attached', () => {
  expect(ticketNode({ currentNodeID: 'n2', nodeID: 'n3' }, ['n1'])).toBe('n2');
  expect(ticketNode({ currentNodeID: '', nodeID: 'n3' }, ['n1'])).toBe('n3');
  expect(ticketNode({ currentNodeID: '', nodeID: '' }, ['n2', 'n1'])).toBe('n1');
  expect(ticketNode({ currentNodeID: '', nodeID: '' }, [])).toBeUndefined();
});

describe('decideAttachment with random tickets', () => {
  const node = fc.constantFrom('n1', 'n2', 'n3');
  const anyTicket = fc.record({
    type: fc.constantFrom(...ticketTypes),
    nodeID: node,
    disableFrontend: fc.constantFrom('true', 'false', 'any'),
  });
  const world = fc.record({
    tickets: fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd'),
      anyTicket.map((t) => ticket(t.type, t.nodeID, t.disableFrontend)),
    ),
    wanted: fc.record({ nodeID: fc.constantFrom('', 'n1', 'n2'), disableFrontend: fc.boolean() }),
    has: fc.record({
      state: fc.constantFrom(...volumeStates),
      nodeID: fc.constantFrom('', 'n1', 'n2'),
      frontendDisabled: fc.boolean(),
    }),
  });
  it('never moves a volume to another node or changes its front end without detaching it first', () => {
    fc.assert(
      fc.property(world, ({ tickets, ...parts }) => {
        const decision = decide(tickets, parts);
        const moved = decision.nodeID !== parts.wanted.nodeID;
        if (moved && decision.nodeID !== '')
          expect([parts.wanted.nodeID, ['detached', 'creating'].includes(parts.has.state)]).toEqual(['', true]);
        if (!moved && decision.nodeID !== '') expect(decision.disableFrontend).toBe(parts.wanted.disableFrontend);
      }),
      { numRuns: 500 },
    );
  });
  it('ends with the ticket of highest priority satisfied, or detached without tickets', () => {
    fc.assert(
      fc.property(world, ({ tickets, wanted, has }) => {
        let now: Pick<AttachmentSeen, 'wanted' | 'has'> = { wanted, has };
        for (let turn = 0; turn < 6; turn++) {
          const { nodeID, disableFrontend } = decide(tickets, now);
          // Simulates the volume: it detaches completely before it attaches with another node or front end.
          const reached = nodeID === '' ? 'detached' : 'attached';
          now = {
            wanted: { nodeID, disableFrontend },
            has: { state: reached, nodeID, frontendDisabled: nodeID !== '' && disableFrontend },
          };
        }
        const { nodeID, statuses } = decide(tickets, now);
        expect(nodeID).toBe(now.wanted.nodeID);
        const best = Math.max(0, ...Object.values(tickets).map(ticketPriority));
        const satisfied = Object.keys(tickets).filter((id) => statuses[id]?.satisfied);
        if (Object.keys(tickets).length === 0) expect(nodeID).toBe('');
        else expect(satisfied.some((id) => ticketPriority(tickets[id] ?? {}) === best)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a volume whose content is not complete yet', () => {
  const onlyFor = { types: ['volume-restore-controller'], because: 'it is being restored' } as const;
  const restore = ticket('volume-restore-controller', 'n1', 'any');
  it('attaches without a device for the ticket that fills it, whatever other tickets ask for', () => {
    const tickets = { csi: csi('n1'), api: ticket('longhorn-api', 'n2', 'true'), restore };
    expect(decide(tickets, { onlyFor })).toMatchObject({ nodeID: 'n1', disableFrontend: true });
    expect(decide({ csi: csi('n1') }, { onlyFor })).toMatchObject({ nodeID: '' });
  });
  it('satisfies no other ticket, even one whose request matches the current attachment', () => {
    const at = { ...attachedTo('n1', true), onlyFor };
    const tickets = { api: ticket('longhorn-api', 'n1', 'true'), restore };
    expect(decide(tickets, at).statuses).toMatchObject({
      api: { satisfied: false, conditions: [{ reason: 'ContentPending', message: 'it is being restored' }] },
      restore: { satisfied: true },
    });
  });
});

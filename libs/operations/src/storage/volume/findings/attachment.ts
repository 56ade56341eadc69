import { startOf } from '../replica-standing.ts';
import { nameOf } from '../volume-sight.ts';
import type { FindIn, Finding, Looked } from './finding.ts';

/** Attachment requests that are not fulfilled. */
export const attachment: FindIn = ({ attachment: object, volume }) => {
  const tickets = Object.entries(object?.spec.attachmentTickets ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const waiting = tickets.filter(([id]) => object?.status?.attachmentTicketStatuses?.[id]?.satisfied !== true);
  return waiting.map(([id, ticket]): Finding => {
    const status = object?.status?.attachmentTicketStatuses?.[id];
    const condition = status?.conditions?.find(({ type }) => type === 'Satisfied');
    const message = condition?.message || 'the manager has not answered yet';
    const stranded = condition?.reason === 'Stranded';
    return {
      reason: 'TicketNotSatisfied',
      weight: stranded ? 'trouble' : 'waits',
      text: `${ticket.type ?? 'a client'} requests it on ${ticket.nodeID || 'no node'} (ticket ${id}): ${message}`,
      ...(stranded ? { next: `If it is not needed there: lateen storage volume detach ${nameOf(volume)}` } : {}),
    };
  });
};

/** The progress of a start. */
export const starting: FindIn = (looked) => {
  const { volume, standings, engine } = looked;
  const { state } = volume.status ?? {};
  if (state !== 'attaching') return [];
  const generation = startOf(engine);
  const promised = standings.filter((each) => each.promised === generation && generation > 0);
  const details = standings
    .filter(({ state: each }) => each !== 'failed' && each !== 'deleting')
    .map(({ name, node, promised: number }) =>
      number === generation
        ? `${name} on ${node} has promised start ${generation}`
        : `${name} on ${node || 'no node'} has not promised start ${generation} yet${downText(looked, node)}`,
    );
  return [
    {
      reason: 'Attaching',
      weight: 'waits',
      text: `it is being attached to ${volume.spec.nodeID || 'no node'}: ${promised.length} of ${standings.length} replicas have promised start ${generation} of the engine`,
      details,
    },
  ];
};

function downText({ surroundings: { nodes } }: Looked, node: string): string {
  if (node === '') return '';
  const ready = nodes.get(node)?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (!nodes.has(node)) return `: node ${node} is not part of the cluster any more`;
  return ready?.status === 'False' ? `: ${ready.message}` : '';
}

/** Processes that still run although the volume is being detached. */
export const detaching: FindIn = ({ volume, engine, replicas }) => {
  if (volume.status?.state !== 'detaching') return [];
  const runs = [...(engine === undefined ? [] : [engine]), ...replicas].filter(({ status }) => {
    return (status?.currentState ?? 'stopped') !== 'stopped';
  });
  return [
    {
      reason: 'Detaching',
      weight: 'waits',
      text: 'it is being detached',
      details: runs.map(
        (each) => `${each.kind.toLowerCase()} ${nameOf(each)} on ${each.spec.nodeID} is ${each.status?.currentState}`,
      ),
    },
  ];
};

/** An engine in an unknown state, or one that ended with an error. */
export const engineTrouble: FindIn = ({ engine }) => {
  const { currentState, conditions } = engine?.status ?? {};
  if (currentState !== 'unknown' && currentState !== 'error') return [];
  const created = conditions?.find(({ type }) => type === 'InstanceCreation');
  const why =
    currentState === 'unknown' ? 'its instance manager does not answer' : created?.message || 'no cause is recorded';
  return [
    {
      reason: currentState === 'unknown' ? 'EngineUnknown' : 'EngineError',
      weight: 'trouble',
      text: `the engine on ${engine?.spec.nodeID} is ${currentState}: ${why}`,
      next: 'See: lateen storage instance-manager list',
    },
  ];
};

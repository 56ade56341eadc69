import type { Pod } from '@lateen/api-types';
import type { Change } from '@lateen/kube-runtime';
import { aPod, FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { AgentRoster, rosterPod } from './agent-roster.ts';

function roster() {
  const clock = new FakeClock();
  let tell: (change: Change<Pod>) => void = () => {};
  const agents = new AgentRoster(clock, 'node-1');
  agents.follow({
    onChange: (handler) => {
      tell = handler;
      return () => {};
    },
  });
  const changed: string[] = [];
  agents.onChange((node) => changed.push(node));
  const show = (node: string, ready: 'True' | 'False' | 'deleted', name = `agent-${node}`) => {
    const status = {
      conditions: [{ type: 'Ready', status: ready === 'True' ? ('True' as const) : ('False' as const) }],
    };
    const object = aPod({ name, uid: name, nodeName: node, phase: 'Running', status });
    tell(ready === 'deleted' ? { type: 'deleted', object } : { type: 'added', object });
  };
  return { agents, clock, changed, show };
}

describe('the roster of node-agents', () => {
  it('counts from the moment when an agent stops being ready, and resets when it is back', async () => {
    const { agents, clock, changed, show } = roster();
    show('node-2', 'True');
    await clock.advance(10_000);
    expect(agents.lostForMs('node-2')).toBe(0);
    show('node-2', 'False');
    expect(agents.lostForMs('node-2')).toBe(1);
    await clock.advance(5_000);
    show('node-2', 'deleted');
    expect(agents.lostForMs('node-2')).toBe(5_000);
    show('node-2', 'True', 'agent-again');
    expect(agents.lostForMs('node-2')).toBe(0);
    expect(changed).toEqual(['node-2', 'node-2', 'node-2']);
  });
  it('counts an agent that it finds lost from that moment, and one that it never saw from its own start', async () => {
    const { agents, clock, show } = roster();
    await clock.advance(4_000);
    show('node-2', 'False');
    await clock.advance(1_000);
    expect(agents.lostForMs('node-2')).toBe(1_000);
    expect(agents.lostForMs('node-3')).toBe(5_000);
  });
  it('knows the first of the nodes with a running agent', () => {
    const { agents, show } = roster();
    expect(agents.first).toBeUndefined();
    show('node-3', 'True');
    show('node-2', 'True');
    expect(agents.first).toBe('node-2');
    show('node-1', 'True');
    expect(agents.first).toBe('node-1');
    show('node-1', 'deleted');
    show('node-2', 'False');
    expect(agents.first).toBe('node-3');
  });
  it('counts again after it has not seen the API server for a while, because its data may be old', async () => {
    const { agents, clock, show } = roster();
    show('node-2', 'False');
    await clock.advance(300_000);
    agents.interrupted();
    await clock.advance(20_000);
    expect([agents.lostForMs('node-2'), agents.lostForMs('node-3')]).toEqual([20_000, 20_000]);
    show('node-2', 'True');
    expect(agents.lostForMs('node-2')).toBe(0);
  });
  it('uses any pod of the node while one replaces another', () => {
    const { agents, show } = roster();
    show('node-2', 'True', 'old');
    show('node-2', 'True', 'new');
    show('node-2', 'deleted', 'old');
    expect(agents.lostForMs('node-2')).toBe(0);
  });
  it('never counts its own node, or no node, as lost', async () => {
    const { agents, clock } = roster();
    await clock.advance(60_000);
    expect([agents.lostForMs('node-1'), agents.lostForMs('')]).toEqual([0, 0]);
  });
  it('keeps only the needed fields of a pod', () => {
    const pod = aPod({ name: 'a', uid: 'u', nodeName: 'node-2', labels: { name: 'node-agent' }, phase: 'Running' });
    expect(rosterPod(pod)).toMatchObject({
      metadata: { name: 'a', uid: 'u' },
      spec: { nodeName: 'node-2', containers: [] },
    });
    expect(rosterPod(pod).status).toEqual({ conditions: [] });
  });
});

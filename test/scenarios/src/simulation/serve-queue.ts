import { once } from 'node:events';
import { dataUploadType } from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { fakeCluster, serveFakeCluster } from '@lateen/testing';
import { StorageActor } from '../world/storage-actor.ts';
import { countCalls } from './count-calls.ts';
import { diceFor } from './dice.ts';
import { Ledger } from './ledger.ts';
import { Network } from './network.ts';
import { noFaults } from './plan.ts';
import { queuePlan } from './queue-plan.ts';
import { isByMover, SimulatedMovers } from './simulated-movers.ts';
import { SimulatedNodes } from './simulated-nodes.ts';
import { movementObject, simulatedObjects } from './simulated-objects.ts';
import { Ticker } from './ticker.ts';

/*
 * For benchmarks of a real node-agent: serves an API server in memory over HTTP with that many waiting DataUploads, and a node that does
 * everything else. `node serve-queue.ts <uploads>` prints one line of JSON with the URL, and, when all have ended and our finalizer is
 * removed, another one with the calls; ends when its standard input ends.
 */
const uploads = Number(process.argv[2]);
if (!Number.isInteger(uploads) || uploads < 1) throw new TypeError('usage: serve-queue.ts <uploads>');

/** Interval at which storage and kubelet process all objects. */
const lookMs = 250;

const plan = { ...queuePlan(uploads), reactionMsMax: lookMs };
const { objects, volumes, snapshots } = simulatedObjects(plan);
const [clock, ledger] = [systemClock, new Ledger()];
const cluster = fakeCluster({ clock, objects: [...objects, ...plan.movements.map(movementObject)] });
const storage = new StorageActor(cluster);
for (const each of volumes) storage.volumes.add(each);
for (const each of snapshots) storage.snapshots.add(each);
const violated = (text: string) => {
  throw new Error(text);
};
const quiet = { chances: () => noFaults, note: () => {}, network: new Network(), heard: () => {} };
const movers = new SimulatedMovers({ cluster, clock, ledger, plan, violated, ...quiet });
const { nodes: names, reactionMsMax } = plan;
const nodes = new SimulatedNodes({
  ...{ cluster, clock, dice: diceFor(uploads, 'nodes'), ledger, movers, nodes: names, reactionMsMax, ...quiet },
});
const ticker = new Ticker({ clock, dice: diceFor(uploads, 'storage'), delayMsMax: lookMs }, () => storage.react());

const open = new Set(plan.movements.map(({ name }) => name));
const done = Promise.withResolvers<void>();
cluster.onChange(({ type, object: { kind, metadata, status } }) => {
  if (kind === 'Event') return;
  if (kind === dataUploadType.kind) {
    const ended = (status as { completionTimestamp?: string } | undefined)?.completionTimestamp;
    if (ended !== undefined && !metadata.finalizers?.length) open.delete(metadata.name ?? '');
    if (open.size === 0) done.resolve();
    return;
  }
  if (kind === 'Pod' && type === 'DELETED') movers.end(metadata.uid ?? '');
  ticker.poke();
  nodes.poke();
});

const served = await serveFakeCluster(cluster);
console.log(JSON.stringify({ url: served.url }));
const over = once(process.stdin.resume(), 'end');
await Promise.race([done.promise, over]);
const completed = cluster.look(dataUploadType).filter(({ status }) => status?.phase === 'Completed').length;
console.log(
  JSON.stringify({ completed, open: open.size, calls: countCalls(cluster.calls.filter((call) => !isByMover(call))) }),
);
await over;
await served.close();
process.exit(0);

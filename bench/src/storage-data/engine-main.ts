/**
 * An engine over two replicas: `engine-main.ts <own socket> <export> <bytes> <socket of the local one> <port of the other>`. Ends with its
 * standard input.
 */
import { systemClock as clock, systemRandom as random, silentLogger } from '@lateen/kernel';
import { connectReplica, serveBlocks } from '@lateen/nbd';
import { startReplicaSet } from '@lateen/replica-set';

const [own = '', exportName = '', bytes = '0', local = '', port = '0'] = process.argv.slice(2);
const link = (at: { path: string } | { host: string; port: number }) => connectReplica({ at, exportName, clock });
const set = startReplicaSet({
  ...{ volume: 'volume', generation: 1, sizeBytes: BigInt(bytes), clock, random, log: silentLogger },
  replicas: [
    { name: 'local', link: await link({ path: local }), local: true },
    { name: 'other', link: await link({ host: '127.0.0.1', port: Number(port) }) },
  ],
  // There is no API server here: its latency is not part of these figures.
  recordFailure: async () => {},
});
const server = await serveBlocks({ path: own }, new Map([['volume', set.target]]), { clock, log: silentLogger });
process.stdout.write('ready\n');
process.stdin.on('end', async () => {
  await server[Symbol.asyncDispose]();
  await set.stop({ signal: clock.deadline(10_000) });
});
process.stdin.resume();

/**
 * Serves an export that it reaches through our link: `front-main.ts <replica's socket> <export> <own socket>`. Ends with its standard
 * input.
 */
import { systemClock as clock, silentLogger } from '@lateen/kernel';
import { connectReplica, serveBlocks } from '@lateen/nbd';

const [replica = '', exportName = '', own = ''] = process.argv.slice(2);
const link = await connectReplica({ at: { path: replica }, exportName, clock });
const server = await serveBlocks({ path: own }, new Map([['volume', link]]), { clock, log: silentLogger });
process.stdout.write('ready\n');
process.stdin.on('end', async () => {
  await server[Symbol.asyncDispose]();
  await link[Symbol.asyncDispose]();
});
process.stdin.resume();

import { describeError, isAppError } from '@lateen/errors';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type KubeClient, kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { CommanderError } from 'commander';
import { askPerson } from './ask-person.ts';
import { exitCodeOf } from './exit-code.ts';
import { buildProgram } from './program.ts';

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));

let client: KubeClient | undefined;
const program = buildProgram(
  {
    clock: systemClock,
    random: systemRandom,
    stdout: process.stdout,
    stderr: process.stderr,
    ask:
      process.stdin.isTTY && process.stderr.isTTY ? (question) => askPerson(question, interrupted.signal) : undefined,
    signal: interrupted.signal,
    connect: async ({ kubeconfig, context }) => {
      const config = await loadKubeConfig({ path: kubeconfig, context, env: process.env });
      client = kubeClient({
        config,
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
        userAgent: 'lateen-cli',
      });
      return client;
    },
  },
  process.env,
);

try {
  await program.parseAsync();
} catch (error) {
  // commander has printed its own message already.
  if (!(error instanceof CommanderError)) process.stderr.write(`lateen: ${describeError(error)}\n`);
  process.exitCode = exitCodeOf(error, interrupted.signal.aborted && isAppError(error, 'INTERRUPTED'));
} finally {
  await client?.close();
}

import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type KubeClient, kubeClient, kubeContextNames, loadKubeConfig } from '@lateen/kube-client';
import { buildCommit } from './build-commit.ts';
import { readClientConfig, withClientConfig } from './client-config.ts';
import type { CommandContext } from './command-context.ts';
import { isCompletion } from './completion/complete-words.ts';
import { prompts } from './prompts.ts';
import { failureOf } from './report-failure.ts';
import { runProgram } from './run-program.ts';

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has closed the pipe (`lateen backup get | head -1`): the rest of the output is dropped, and that is no error.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(failureOf(error, { command: '', signal: interrupted.signal }).text);
  process.exit(1);
});

const hasPerson = process.stdin.isTTY && process.stderr.isTTY;
const terminal = { input: process.stdin, output: process.stderr };
let client: KubeClient | undefined;
const context: CommandContext = {
  clock: systemClock,
  random: systemRandom,
  stdout: process.stdout,
  stderr: process.stderr,
  ...(hasPerson ? prompts(terminal, interrupted.signal) : {}),
  signal: interrupted.signal,
  connect: async ({ kubeconfig, context: name, kubecontext }) => {
    const config = await loadKubeConfig({ path: kubeconfig, context: name ?? kubecontext, env: process.env });
    client = kubeClient({
      config,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      userAgent: 'lateen-cli',
    });
    return client;
  },
  commit: () => buildCommit(process.env),
  contexts: ({ kubeconfig }) => kubeContextNames({ path: kubeconfig, env: process.env }),
};

const words = process.argv.slice(2);
try {
  const config = readClientConfig(process.env.HOME);
  const env = withClientConfig(process.env, await (isCompletion(words) ? config.catch(() => ({})) : config));
  process.exitCode = await runProgram(context, env, words);
  // A pending request to a cluster that does not answer would keep the shell waiting.
  if (isCompletion(words)) process.exit();
} catch (error) {
  const { text, exitCode } = failureOf(error, { command: '', signal: interrupted.signal });
  process.stderr.write(text);
  process.exitCode = exitCode;
} finally {
  await client?.close();
}

import type { Container, Pod } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import {
  type BackoffLimits,
  type Clock,
  durationText,
  type Logger,
  orAborted,
  type Random,
  retry,
  secretTest,
} from '@lateen/kernel';
import { keyOf, keyText, type PodExec } from '@lateen/kube';
import type { PodHook } from '../hook/pod-hook.ts';
import { CommandOutput } from './command-output.ts';

/** Retries of connecting, before the command has started: a restarting API server must not leave a database frozen. The hook's timeout ends it. */
const connectRetry: { attemptsMax: number; backoff: BackoffLimits } = {
  attemptsMax: 5,
  backoff: { firstMs: 500, maxMs: 4_000, factor: 2, jitter: 0.2 },
};

const isSecret = secretTest();

export interface HookPorts {
  exec: PodExec;
  clock: Clock;
  random: Random;
  /** Warnings and errors count in the backup. */
  log: Logger;
}

/**
 * Runs one hook to its end, or to its timeout.
 * @throws HOOK_FAILED with the last output of the command; HOOK_POD_GONE; the signal's reason on abort
 */
export async function runHook(hook: PodHook, pod: Pod, ports: HookPorts, signal: AbortSignal): Promise<void> {
  if (hook.flaw !== undefined) throw hookFailed(hook, pod, hook.flaw);
  const late = ports.clock.deadline(hook.timeoutMs);
  const output = new CommandOutput(secretsOf(pod, hook.container));
  try {
    const { exitCode } = await execute(hook, pod, ports, output, AbortSignal.any([signal, late]));
    if (exitCode !== 0) throw hookFailed(hook, pod, `command terminated with exit code ${exitCode}`, { output });
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw hookTimedOut(hook, pod, output);
    if (isAppError(error, 'KUBE_EXEC_FAILED') && error.details.httpStatus === 404)
      throw new AppError('HOOK_POD_GONE', `pod ${keyText(keyOf(pod))} is not there any more`, { cause: error });
    throw isAppError(error, 'HOOK_FAILED')
      ? error
      : hookFailed(hook, pod, 'it did not run to its end', { output, cause: error });
  }
  const said = output.lastLines;
  ports.log.info(said === '' ? {} : { output: said }, 'hook has ended');
}

function execute(hook: PodHook, pod: Pod, ports: HookPorts, output: CommandOutput, signal: AbortSignal) {
  const { stdout, stderr } = output;
  const policy = {
    ...connectRetry,
    mayRetry: (error: unknown) => isAppError(error, 'KUBE_EXEC_FAILED') && error.retry === 'soon',
    onRetry: ({ error, waitMs }: { error: unknown; waitMs: number }) =>
      ports.log.info({ err: error, waitMs }, 'hook could not be started and is tried again'),
  };
  const attempt = () =>
    // Whatever the state of the connection, the wait ends with the signal.
    orAborted(ports.exec.exec(keyOf(pod), hook.container, hook.command, { stdout, stderr, signal }), signal);
  return retry(ports, policy, attempt, signal);
}

function hookTimedOut(hook: PodHook, pod: Pod, output: CommandOutput): AppError {
  return hookFailed(hook, pod, `timed out after ${durationText(hook.timeoutMs)}`, {
    output,
    nextStep: 'Its command may still be running in the container: look there, then raise the timeout of the hook.',
  });
}

function hookFailed(
  hook: PodHook,
  pod: Pod,
  why: string,
  more: { output?: CommandOutput; cause?: unknown; nextStep?: string } = {},
): AppError {
  const said = more.output?.lastLines ?? '';
  const where = `${hook.phase} hook of pod ${keyText(keyOf(pod))} in container ${hook.container}`;
  return new AppError('HOOK_FAILED', `${where}: ${why}${said === '' ? '' : ` (it wrote: ${said})`}`, {
    retry: 'never',
    ...(more.cause === undefined ? {} : { cause: more.cause }),
    ...(more.nextStep === undefined ? {} : { nextStep: more.nextStep }),
  });
}

/** Secret values in the pod's own spec; values that its variables take from Secrets are not read. */
function secretsOf(pod: Pod, container: string): string[] {
  const { containers, initContainers = [] } = pod.spec;
  const found: Container | undefined = [...containers, ...initContainers].find(({ name }) => name === container);
  return (found?.env ?? []).flatMap(({ name, value }) => (value !== undefined && isSecret(name) ? [value] : []));
}

import { AppError, byteSize, isAppError } from '@lateen/errors';
import { trailerOf } from '@lateen/grpc';
import { durationText } from '@lateen/kernel';
import { stackIn, statusDetailsTrailer } from '@lateen/plugin-protocol';
import { requestBytesOfGo } from '../limits.ts';
import type { PluginCall } from './plugin-call.ts';

type Subject = Pick<PluginCall<unknown>, 'plugin' | 'method' | 'requestBytes'>;

/** The status code for a method that the program does not have. */
const missing = 'UNIMPLEMENTED';
const tooLarge = 'RESOURCE_EXHAUSTED';

/** A plugin's error answer. The message is the plugin's own, with its place in the plugin's code in the details. */
export function callError(
  { plugin, method, requestBytes = () => 0 }: Subject,
  error: unknown,
  replyBytesMax: number,
): AppError {
  const frames = stackIn(trailerOf(error, statusDetailsTrailer) ?? new Uint8Array());
  const [place] = frames;
  const details = place === undefined ? {} : { file: `${place.file}:${place.line}`, function: place.function };
  const code = isAppError(error) ? error.code : undefined;
  if (code === missing) {
    return new AppError('PLUGIN_CALL_FAILED', `plugin ${plugin} has no ${method}`, { cause: error });
  }
  if (code === tooLarge) {
    const sent = requestBytes();
    const message =
      sent > requestBytesOfGo
        ? `the request to plugin ${plugin} has ${byteSize(sent)}, which is more than its program takes`
        : `the answer of plugin ${plugin} to ${method} is larger than ${byteSize(replyBytesMax)}, or it says itself that something is exhausted`;
    return new AppError('PLUGIN_CALL_FAILED', message, { cause: error, details });
  }
  return new AppError('PLUGIN_CALL_FAILED', `plugin ${plugin} answered ${method} with an error`, {
    cause: new AppError(code ?? 'UNKNOWN', ownWords(error, method), { details }),
    details,
  });
}

/** Our client puts the method before the status message, as the generated code spells it. */
function ownWords(error: unknown, method: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const prefix = text.slice(0, method.length + 2).toLowerCase();
  return prefix === `${method.toLowerCase()}: ` ? text.slice(method.length + 2) : text;
}

export const timeLimitError = ({ plugin, method }: Subject, callMs: number): AppError =>
  new AppError('PLUGIN_CALL_TIMEOUT', `plugin ${plugin} did not answer ${method} within ${durationText(callMs)}`, {
    retry: 'later',
    nextStep: 'The log has what it said until then; --plugin-call-timeout gives it more time.',
  });

/** It ended twice: in the first process, and in the one that was started only for this call. */
export const endedTwiceError = ({ plugin, method }: Subject, cause: unknown): AppError =>
  new AppError(
    'PLUGIN_PROGRAM_ENDED',
    `the program of plugin ${plugin} ended during ${method}, and again when it was started for this call alone`,
    {
      cause,
    },
  );

export const endedOnceError = ({ plugin, method }: Subject, cause: unknown): AppError =>
  new AppError('PLUGIN_PROGRAM_ENDED', `the program of plugin ${plugin} ended during ${method}`, { cause });

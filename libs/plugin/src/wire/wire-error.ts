import { Metadata } from '@grpc/grpc-js';
import { describeError } from '@lateen/errors';
import type { WireError } from '@lateen/grpc';
import { pluginErrorCodes, type StackPlace, statusDetails, statusDetailsTrailer } from '@lateen/plugin-protocol';

/** HTTP/2 headers are bounded, and people read this in a status. */
const messageCharactersMax = 4_000;
const framesMax = 32;

/**
 * An error as Velero's SDK answers with it: UNKNOWN, the message with its causes, and the places where it was made. What is thrown
 * and is no Error is to JavaScript what a panic is to Go: ABORTED.
 */
export function pluginWireError(error: unknown): WireError & { metadata: Metadata } {
  const isError = error instanceof Error;
  const code = isError ? pluginErrorCodes.failed : pluginErrorCodes.panicked;
  const text = isError ? describeError(error) : `plugin panicked: ${describeError(error)}`;
  const details = text.slice(0, messageCharactersMax);
  const metadata = new Metadata();
  metadata.set(statusDetailsTrailer, statusDetails(code, details, placesOf(error)));
  return { code, details, metadata };
}

/** The places of the innermost cause: where it all began. */
export function placesOf(error: unknown): StackPlace[] {
  let innermost = error;
  for (let depth = 0; depth < framesMax && innermost instanceof Error && innermost.cause instanceof Error; depth++) {
    innermost = innermost.cause;
  }
  if (!(innermost instanceof Error) || innermost.stack === undefined) return [];
  return innermost.stack.split('\n').flatMap(placeOf).slice(0, framesMax);
}

/** `    at fn (file:///a/b.js:1:2)`, `    at file:///a/b.js:1:2`. */
const frame = /^\s+at (?:async )?(?:(.+?) \()?(?:file:\/\/)?([^()]+?):(\d+):\d+\)?$/;

function placeOf(line: string): StackPlace[] {
  const [, name = '<anonymous>', file, text] = frame.exec(line) ?? [];
  return file === undefined ? [] : [{ file, line: Number(text), function: name }];
}

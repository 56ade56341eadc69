import { Stack } from './generated/shared.ts';
import { Status } from './generated/status.ts';

/** The trailer in which gRPC sends the details of a failed call. */
export const statusDetailsTrailer = 'grpc-status-details-bin';

const stackType = 'type.googleapis.com/generated.Stack';

/** Codes with which a program answers: its own errors are UNKNOWN, a panic that it caught is ABORTED. */
export const pluginErrorCodes = { failed: 2, panicked: 10 } as const;

export interface StackPlace {
  file: string;
  line: number;
  function: string;
}

/** The value of the trailer for an error with the places where it was made, innermost first. */
export function statusDetails(code: number, message: string, frames: readonly StackPlace[]): Buffer {
  const value = Buffer.from(Stack.encode({ frames }).finish());
  return Buffer.from(Status.encode({ code, message, details: [{ typeUrl: stackType, value }] }).finish());
}

/** Where the error of a failed call was made; empty when the trailer says nothing that we understand. Never throws. */
export function stackIn(trailer: Uint8Array): readonly StackPlace[] {
  try {
    const stack = Status.decode(trailer).details.find(({ typeUrl }) => typeUrl === stackType);
    return stack === undefined ? [] : Stack.decode(stack.value).frames;
  } catch {
    return [];
  }
}

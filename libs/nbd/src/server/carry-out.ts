import { type BlockErrno, type BlockTarget, blockIoError, blockRequestBytesMax } from '@lateen/block-engine';
import { bytesIn } from '../wire/byte-queue.ts';
import { command, commandFlag } from '../wire/numbers.ts';
import type { RequestHead } from '../wire/requests.ts';

/** What is wrong with a request before the target is asked. */
export function refusalOf(request: RequestHead, sizeBytes: bigint): BlockErrno | undefined {
  if ((request.flags & ~flagsTaken(request.command)) !== 0) return 'EINVAL';
  if (request.command === command.FLUSH) return undefined;
  if (!isKnown(request.command) || request.lengthBytes === 0) return 'EINVAL';
  const carriesData = request.command === command.READ || request.command === command.WRITE;
  if (carriesData && request.lengthBytes > blockRequestBytesMax) return 'EOVERFLOW';
  if (request.at + BigInt(request.lengthBytes) <= sizeBytes) return undefined;
  return request.command === command.READ ? 'EINVAL' : 'ENOSPC';
}

const noData: readonly Uint8Array[] = [];

/** Has the target do it. Resolves with the data of a read, with nothing for the others. */
export async function carryOut(
  target: BlockTarget,
  request: RequestHead,
  data: readonly Uint8Array[],
): Promise<readonly Uint8Array[]> {
  const fua = (request.flags & commandFlag.FUA) !== 0;
  switch (request.command) {
    case command.READ:
      return checkedRead(await target.read(request.at, request.lengthBytes), request.lengthBytes);
    case command.WRITE:
      await target.write(request.at, data, { fua });
      return noData;
    case command.FLUSH:
      await target.flush();
      return noData;
    case command.TRIM:
      await inPieces(request, (at, lengthBytes) => target.trim(at, lengthBytes));
      if (fua) await target.flush();
      return noData;
    default: {
      const unmap = (request.flags & commandFlag.NO_HOLE) === 0;
      await inPieces(request, (at, lengthBytes) => target.zero(at, lengthBytes, { unmap, fua }));
      return noData;
    }
  }
}

/** An answer of another length would be read as the next answer. */
function checkedRead(data: readonly Uint8Array[], lengthBytes: number): readonly Uint8Array[] {
  const got = bytesIn(data);
  if (got === lengthBytes) return data;
  throw blockIoError('EIO', `a read of ${lengthBytes} bytes returned ${got}`);
}

/** Trims and zeroes carry no data, so clients send them with any length; a target takes them like all others. */
async function inPieces(
  { at, lengthBytes }: RequestHead,
  act: (at: bigint, lengthBytes: number) => Promise<void>,
): Promise<void> {
  for (let done = 0; done < lengthBytes; done += blockRequestBytesMax) {
    await act(at + BigInt(done), Math.min(blockRequestBytesMax, lengthBytes - done));
  }
}

function isKnown(kind: number): boolean {
  return kind === command.READ || kind === command.WRITE || kind === command.TRIM || kind === command.WRITE_ZEROES;
}

/** FUA may stand at every command, where it means nothing too; other flags belong to what is not offered here. */
function flagsTaken(kind: number): number {
  return kind === command.WRITE_ZEROES ? commandFlag.FUA | commandFlag.NO_HOLE : commandFlag.FUA;
}

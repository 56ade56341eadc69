import type { BlockErrno } from '@lateen/block-engine';

const numbers: Readonly<Record<BlockErrno, number>> = {
  EPERM: 1,
  EIO: 5,
  ENOMEM: 12,
  EINVAL: 22,
  ENOSPC: 28,
  EOVERFLOW: 75,
  ENOTSUP: 95,
  ESHUTDOWN: 108,
};

const names: ReadonlyMap<number, BlockErrno> = new Map(
  Object.entries(numbers).map(([name, number]) => [number, name as BlockErrno]),
);

export function errorNumber(errno: BlockErrno): number {
  return numbers[errno];
}

/** What a server means by its error; a number that the protocol does not have is EIO. */
export function errorName(number: number): BlockErrno {
  return names.get(number) ?? 'EIO';
}

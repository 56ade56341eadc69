/** e_machine of ELF (elf(5)) by Node's names of machines. */
const machines: Readonly<Record<number, string>> = {
  3: 'ia32',
  21: 'ppc64',
  22: 's390x',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  243: 'riscv64',
  258: 'loong64',
};
const machineAt = 18;
const littleEndian = 1;

/**
 * Why a file that begins like this is not a program for this machine; undefined when it is one, or a script. The kernel's own error would be lost: a
 * file that it cannot execute is given to the shell, which reads it as a script.
 */
export function wrongFormat(head: Buffer, arch: string): string | undefined {
  if (head.length === 0) return 'it is empty';
  if (head.subarray(0, 2).toString('latin1') === '#!') return undefined;
  if (head.subarray(0, 4).toString('latin1') === '\x7fELF' && head.length >= machineAt + 2) {
    const number = head[5] === littleEndian ? head.readUInt16LE(machineAt) : head.readUInt16BE(machineAt);
    const built = machines[number] ?? `machine ${number}`;
    return built === arch
      ? undefined
      : `it is built for ${built}, and this machine is ${arch}; use an image for ${arch}`;
  }
  if (head.subarray(0, 2).toString('latin1') === 'MZ') return 'it is a program for Windows';
  return 'it is neither a program of Linux nor a script with "#!" in its first line';
}

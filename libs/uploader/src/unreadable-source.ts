interface Advice {
  pattern: RegExp;
  nextStep: string;
}

/** Advice by the system's error for an entry. The data mover is root, so file permissions alone do not block it. */
export const unreadableAdvice: readonly Advice[] = [
  {
    pattern: /permission denied/i,
    nextStep:
      'The data mover is root, so the file system itself keeps root out: export an NFS share to the nodes with no_root_squash, mount a FUSE file system with allow_other, or leave the volume out.',
  },
  {
    pattern: /stale (nfs )?file handle|transport endpoint is not connected/i,
    nextStep:
      'The server or the process behind the file system has gone: mount it again, usually by restarting the pod of the volume.',
  },
  {
    pattern: /input\/output error|i\/o error|structure needs cleaning/i,
    nextStep: 'Check the file system and the device of the volume; the kernel log of the node says more.',
  },
];

const otherwise = 'Check the file system of the volume and the permissions of what is named.';

/** The next step for entries of a volume that could not be read, by the words of the error. */
export const unreadableNextStep = (said: string): string =>
  unreadableAdvice.find(({ pattern }) => pattern.test(said))?.nextStep ?? otherwise;

import { execFileSync } from 'node:child_process';

/** Fills a file or a device with that many bytes, no two parts of which are equal. */
export function noise(path: string, bytes: number): void {
  const encrypt = 'openssl enc -aes-128-ctr -pass file:/dev/urandom -nosalt </dev/zero 2>/dev/null';
  execFileSync('sh', ['-c', `${encrypt} | head -c "$2" > "$1" || true; sync "$1"`, 'sh', path, `${bytes}`]);
}

import { debianImage, type RootContents } from '@lateen/image';

export const postgresImageTag = 'localhost/lateen-demo-postgres:dev';

/** The user ID of the image that the PostgreSQL project publishes, so that the demo works with that image too. */
const contents: RootContents = {
  packages: ['postgresql', 'postgresql-contrib'],
  prepare: [
    'echo "postgres:x:999:999::/var/lib/postgresql:/bin/sh" >> "$1"/etc/passwd',
    'echo "postgres:x:999:" >> "$1"/etc/group',
    // The pod creates its database on its volume.
    'mkdir -p "$1"/etc/postgresql-common && echo "create_main_cluster = false" > "$1"/etc/postgresql-common/createcluster.conf',
  ],
  customize: [
    // The demo does not need compiled queries: this saves 110 of 290 MB.
    'rm -rf "$1"/usr/lib/x86_64-linux-gnu/libLLVM* "$1"/usr/lib/postgresql/*/lib/llvmjit* "$1"/usr/lib/postgresql/*/lib/bitcode',
    'ln -s $(cd "$1" && ls -d usr/lib/postgresql/* | tail -1 | sed "s|^|/|") "$1"/opt/postgresql',
  ],
};

/** PostgreSQL from this machine's Debian, with pgbench, and fsfreeze for its volume. */
export function postgresImage(progress: (text: string) => void, signal: AbortSignal) {
  const path = '/opt/postgresql/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return debianImage({
    name: 'postgres',
    tag: postgresImageTag,
    contents,
    config: { User: '0', WorkingDir: '/', Cmd: ['postgres', '--version'], Env: [`PATH=${path}`, 'LC_ALL=C.UTF-8'] },
    progress,
    signal,
  });
}

export interface EtcdOptions {
  dataDir: string;
  clientPort: number;
  peerPort: number;
}

/** Arguments of a single etcd on loopback. `unsafe-no-fsync`: the data need not survive a power cut. */
export function etcdArgs({ dataDir, clientPort, peerPort }: EtcdOptions): string[] {
  const client = `http://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    '--name=lateen',
    `--data-dir=${dataDir}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=lateen=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type S3StoreConfig, s3Store } from '@lateen/object-store-s3';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';

/** More rounds than in other groups: each is short, and the kernel's share varies. */
const runs = 15;
const MiB = 1024 ** 2;
const [parts, partBytes] = [16, 8 * MiB];
const gibibytes = (parts * partBytes) / 1024 ** 3;

interface Way {
  title: string;
  config(ports: { plain: string; tls: string }, caPem: string): Partial<S3StoreConfig> & { endpoint: string };
}

/** The first one is the reference for the others. */
const ways: readonly Way[] = [
  {
    title: 'https, body not in the signature, no checksum',
    config: ({ tls }, caPem) => ({ endpoint: tls, tls: true, caPem, checksumAlgorithm: '' }),
  },
  {
    title: 'https, body not in the signature, CRC32',
    config: ({ tls }, caPem) => ({ endpoint: tls, tls: true, caPem }),
  },
  {
    title: 'https to an unchecked certificate, body signed, CRC32',
    config: ({ tls }) => ({ endpoint: tls, tls: true, verifyTls: false }),
  },
  {
    title: 'http, body signed, no checksum',
    config: ({ plain }) => ({ endpoint: plain, tls: false, checksumAlgorithm: '' }),
  },
  { title: 'http, body signed, CRC32', config: ({ plain }) => ({ endpoint: plain, tls: false }) },
  {
    title: 'http, body signed, SHA-256 as checksum too',
    config: ({ plain }) => ({ endpoint: plain, tls: false, checksumAlgorithm: 'SHA256' }),
  },
];

/** CPU time of our own S3 store per GiB sent, in parts of 8 MiB, to a server in another process that discards it. */
export async function benchS3Payload(signal: AbortSignal): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'lateen-bench-s3-'));
  const words = ['-keyout', 'key.pem', '-out', 'cert.pem', '-days', '2', '-subj', '/CN=localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...words, ...names], { cwd: directory, stdio: 'ignore' });
  const sink = spawn(process.execPath, [join(import.meta.dirname, 's3-sink.ts'), directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface({ input: sink.stdout }), 'line', { signal })) as [string];
    const [plain, tls] = line.split(' ');
    const ports = { plain: `localhost:${plain}`, tls: `localhost:${tls}` };
    const caPem = await readFile(join(directory, 'cert.pem'), 'utf8');
    const seconds = ways.map((): number[] => []);
    // Run 0 is a warm-up and not counted.
    for (let run = 0; run <= runs; run++) {
      for (const [index, { config }] of ways.entries()) {
        const cpu = await sendOnce(config(ports, caPem), signal);
        if (run > 0) seconds[index]?.push(cpu);
      }
    }
    return rowsOf(seconds);
  } finally {
    sink.stdin.end();
    await rm(directory, { recursive: true });
  }
}

/** Seconds of CPU per GiB. */
async function sendOnce(
  config: Partial<S3StoreConfig> & Pick<S3StoreConfig, 'endpoint'>,
  signal: AbortSignal,
): Promise<number> {
  const credentials = { accessKeyId: 'a', secretAccessKey: 's' };
  const store = s3Store({
    bucket: 'b',
    region: 'r',
    pathStyle: true,
    tls: true,
    verifyTls: true,
    credentials,
    ...config,
  });
  try {
    const before = process.cpuUsage();
    await store.write('k', pieces(), { signal });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6 / gibibytes;
  } finally {
    await store.close();
  }
}

const piece = randomBytes(partBytes);
async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < parts; part++) yield piece;
}

/** Ratios of consecutive runs. A pure function. */
export function rowsOf(seconds: readonly (readonly number[])[]): BenchRow[] {
  const [first = []] = seconds;
  return seconds.map((each, index) => ({
    name: `S3 store, ${ways[index]?.title}: CPU`,
    value: median(each.map((value, run) => value / (first[run] ?? Number.NaN))),
    unit: '×',
    note: `${median(each).toFixed(2)} s a GiB`,
  }));
}

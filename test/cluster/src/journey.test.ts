import { join } from 'node:path';
import { eventType, podType } from '@lateen/api-types';
import {
  compareTrees,
  isFaithful,
  type JourneyOptions,
  type JourneyPorts,
  lateenCli,
  podName,
  podShell,
  runJourney,
} from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const signal = AbortSignal.any([]);
let lateen: LateenUnderTest;

beforeAll(async () => {
  lateen = await lateenUnderTest();
});
afterAll(async () => {
  await lateen.kube.close();
});

function journeyOptions(): JourneyOptions {
  const suffix = systemRandom.suffix(5);
  return {
    veleroNamespace: lateen.veleroNamespace,
    namespace: `journey-${suffix}`,
    restoredNamespace: `journey-${suffix}-restored`,
    image: lateen.image,
    storageClass: lateen.storageClass,
    volumeSize: '512Mi',
    // Small, so that it can always run; the demo uses ten thousand files.
    source: { path: join(root, 'libs'), files: 0 },
    bigFileBytes: 20_000_000,
  };
}

const ports = (): JourneyPorts => ({
  kube: lateen.kube,
  clock: systemClock,
  lateen: lateenCli(root, lateen.kubeconfig, signal),
  shell: (namespace) => podShell({ ...lateen, namespace, pod: podName, signal }),
  say: () => {},
});

describe('one volume\u2019s journey on a real cluster', () => {
  it('is uploaded twice and restored equal, through every phase, and leaves nothing', async () => {
    const options = journeyOptions();
    const result = await runJourney(options, ports(), signal);

    expect(result.comparison.filter((each) => each.different.length > 0)).toEqual([]);
    // Links, attributes, ACLs, capabilities, FIFOs, devices, old times: all of these could have been lost.
    expect(result.comparison.filter((each) => each.compared === 0)).toEqual([]);
    expect(result.entries).toBeGreaterThan(100);
    expect(result.leftovers).toEqual([]);
    for (const record of result.records) {
      const phases = record.phases.map((each) => each.phase);
      // Accepted and Prepared may be too short for a watch to see; their order never changes.
      expect(
        ['New', 'Accepted', 'Prepared', 'InProgress', 'Completed'].filter((phase) =>
          phases.some((seen) => seen === phase),
        ),
      ).toEqual(phases);
      expect(phases.at(-1)).toBe('Completed');
      expect(phases).toContain('InProgress');
    }
    const [first, second, restore] = result.records;
    expect(first?.snapshotId).toMatch(/^[0-9a-f]{32}$/);
    expect(first?.totalBytes).toBeGreaterThan(options.bigFileBytes);
    expect(second?.incrementalBytes).toBeLessThan((second?.totalBytes ?? 0) / 4);
    expect(restore?.totalBytes).toBe(second?.totalBytes);
    expect(restore?.throughput).toMatchObject({ reader: 'packs', filesDone: expect.any(Number) });
    expect(restore?.throughput?.readerReason).toBeUndefined();
    expect(restore?.throughput?.filesPerSecond).toBeGreaterThan(0);
    expect(restore?.throughput?.storeBytes).toBeGreaterThan(0);
    await expectEventsAndLogs(`${options.namespace}-2`);
  });

  it('the comparison notices a file that was restored differently', () => {
    const entry = {
      path: 'YQ==',
      type: 'file' as const,
      mode: 0,
      uid: 0,
      gid: 0,
      sizeBytes: 1,
      allocatedBytes: 1,
      mtimeNs: '1',
      sha256: 'a',
    };
    expect(isFaithful(compareTrees([entry], [{ ...entry, sha256: 'b' }]))).toBe(false);
  });
});

/** data-movement.md section 7: reasons of the Events, and the mover's log within the node-agent's. */
async function expectEventsAndLogs(name: string): Promise<void> {
  const { kube, veleroNamespace: namespace } = lateen;
  const events = await kube.list(eventType, { namespace, fieldSelector: `involvedObject.name=${name}` });
  const reasons = events.items.map((event) => event.reason);
  expect(reasons).toEqual(expect.arrayContaining(['Data-Path-Started', 'Data-Path-Completed', 'Data-Path-Stopped']));
  const completed = events.items.find((event) => event.reason === 'Data-Path-Completed');
  expect(JSON.parse(completed?.message ?? '')).toMatchObject({
    emptySnapshot: false,
    source: { byPath: expect.stringMatching(/^\/[0-9a-f-]{36}$/), volumeMode: 'Filesystem' },
  });
  await expectLogWhileItRan(name);
}

/** The mover's lines are in the node-agent's log: the first one before the mover had written its last, and the last one too. */
async function expectLogWhileItRan(pod: string): Promise<void> {
  const { kube, veleroNamespace: namespace } = lateen;
  const agents = await kube.list(podType, { namespace, labelSelector: 'role=node-agent' });
  const logs = await Promise.all(agents.items.map(({ metadata }) => readLog({ namespace, name: metadata.name ?? '' })));
  const lines = logs
    .flatMap((text) => text.trimEnd().split('\n'))
    .map(parseLine)
    .filter((line) => line.pod === pod && line.container !== undefined);
  expect(lines[0]?.msg).toBe('the data path may start');
  const last = lines.find(({ msg }) => msg === 'the data path has completed');
  expect(lines[0]?.seenMs).toBeLessThan(Date.parse(last?.time ?? ''));
  expect(new Set(lines.map(({ dataUpload }) => dataUpload))).toEqual(new Set([`${namespace}/${pod}`]));
}

interface AgentLine {
  /** When the node-agent wrote it, as recorded by the kubelet. */
  seenMs: number;
  /** When its author, here the mover, wrote it. */
  time?: string;
  msg?: string;
  pod?: string;
  container?: string;
  dataUpload?: string;
}

/** Fails on a line that is not exactly one JSON document: truncated, or mixed with another. */
function parseLine(line: string): AgentLine {
  const at = line.indexOf(' ');
  return { ...(JSON.parse(line.slice(at + 1)) as object), seenMs: Date.parse(line.slice(0, at)) };
}

async function readLog(pod: { namespace: string; name: string }): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of lateen.kube.stream(pod, { timestamps: true })) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

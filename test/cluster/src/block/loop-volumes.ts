import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '@lateen/csi-rig';
import type { ModelDevices } from '@lateen/testing';

/** Volumes of a model manager as sparse files, with loop devices under the names of real engines' devices. Needs root. */
export class LoopVolumes implements ModelDevices {
  readonly #files: string;
  /** Directory of the device names. */
  readonly devices: string;
  readonly #loops = new Map<string, string>();

  private constructor(files: string, devices: string) {
    this.#files = files;
    this.devices = devices;
  }

  static async in(directory: string): Promise<LoopVolumes> {
    const [files, devices] = [join(directory, 'volumes'), join(directory, 'devices')];
    await mkdir(files, { recursive: true });
    await mkdir(devices, { recursive: true });
    return new LoopVolumes(files, devices);
  }

  async make(volume: string, sizeBytes: bigint, from?: { volume: string; snapshot?: string }): Promise<void> {
    const file = this.#file(volume);
    if (from !== undefined) await copy(this.#file(from.volume, from.snapshot), file);
    await command('truncate', '--size', String(sizeBytes), file);
  }

  async grow(volume: string, sizeBytes: bigint): Promise<void> {
    await command('truncate', '--size', String(sizeBytes), this.#file(volume));
    const loop = this.#loops.get(volume);
    if (loop !== undefined) await command('losetup', '--set-capacity', loop);
  }

  async remove(volume: string): Promise<void> {
    await this.detach(volume);
    await rm(this.#file(volume), { force: true });
  }

  async attach(volume: string, _node: string, device: boolean): Promise<void> {
    if (!device) return;
    const loop = (await command('losetup', '--find', '--show', this.#file(volume))).trim();
    this.#loops.set(volume, loop);
    await symlink(loop, join(this.devices, volume));
  }

  async detach(volume: string): Promise<void> {
    await rm(join(this.devices, volume), { force: true });
    const loop = this.#loops.get(volume);
    this.#loops.delete(volume);
    if (loop !== undefined) await command('losetup', '--detach', loop);
  }

  async snapshot(volume: string, snapshot: string): Promise<void> {
    await copy(this.#file(volume), this.#file(volume, snapshot));
  }

  async removeSnapshot(volume: string, snapshot: string): Promise<void> {
    await rm(this.#file(volume, snapshot), { force: true });
  }

  #file(volume: string, snapshot?: string): string {
    return join(this.#files, snapshot === undefined ? volume : `${volume}@${snapshot}`);
  }
}

const copy = (from: string, to: string): Promise<string> =>
  command('cp', '--reflink=auto', '--sparse=always', from, to);

interface Cut {
  /** Cuts of one place may overlap. */
  times: number;
  healed: PromiseWithResolvers<void>;
}

/** The network as one process sees it. */
export interface ProcessNetwork {
  isCut(): boolean;
  /** Resolves when the process is no longer cut off. */
  whole(): Promise<void>;
}

export const wholeNetwork: ProcessNetwork = { isCut: () => false, whole: () => Promise.resolve() };

/** Which places cannot reach the API server: nodes, and single pods by uid. */
export class Network {
  readonly #cuts = new Map<string, Cut>();

  cut(place: string): void {
    const cut = this.#cuts.get(place) ?? { times: 0, healed: Promise.withResolvers() };
    cut.times += 1;
    this.#cuts.set(place, cut);
  }

  heal(place: string): void {
    const cut = this.#cuts.get(place);
    if (cut === undefined) return;
    cut.times -= 1;
    if (cut.times > 0) return;
    this.#cuts.delete(place);
    cut.healed.resolve();
  }

  isCut(place: string): boolean {
    return this.#cuts.has(place);
  }

  /** The network of a process that is in all these places. */
  of(...places: readonly string[]): ProcessNetwork {
    const cutPlace = () => places.find((place) => this.isCut(place));
    return {
      isCut: () => cutPlace() !== undefined,
      whole: async () => {
        for (let place = cutPlace(); place !== undefined; place = cutPlace())
          await this.#cuts.get(place)?.healed.promise;
      },
    };
  }
}

/** What a server answers; for tests alone. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
export type Ask = (method: string, url: string, body?: unknown) => Answer | Promise<Answer>;

/** An object as the client has it: fields, and the addresses that it follows. */
export interface ClientObject {
  readonly id: string;
  readonly type: string;
  readonly links: Readonly<Record<string, string>>;
  readonly actions: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}
interface ClientSchema extends ClientObject {
  readonly collectionMethods: readonly string[];
  readonly resourceMethods: readonly string[];
}
type Listed = { readonly data: readonly ClientObject[] };

/**
 * What the public clients of this API do, which know no type beforehand: they find the schemas by a header, make methods of what these say, and
 * follow links and actions as they are given. For tests alone.
 */
export class DynamicClient {
  readonly types: ReadonlyMap<string, ClientSchema>;
  readonly #ask: Ask;

  private constructor(types: ReadonlyMap<string, ClientSchema>, ask: Ask) {
    this.types = types;
    this.#ask = ask;
  }

  /** Finds out what there is. @throws Error when the server does not say where the schemas are */
  static async connect(url: string, ask: Ask): Promise<DynamicClient> {
    const { headers = {} } = await ask('GET', url);
    const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-api-schemas')?.[1];
    if (found === undefined) throw new Error(`${url} does not say where the schemas are`);
    const { data } = (await send(ask, 'GET', found)) as Listed;
    return new DynamicClient(new Map(data.map((schema) => [schema.id, schema as ClientSchema])), ask);
  }

  /** Names of the methods that a script can call, as `list_engine_image` and `by_id_engineImage`. */
  methods(): string[] {
    return [...this.types.values()].flatMap(({ id, collectionMethods, resourceMethods }) => {
      const verbs = [
        ...(collectionMethods.includes('GET') ? ['list', 'by_id'] : []),
        ...(collectionMethods.includes('POST') ? ['create'] : []),
        ...(resourceMethods.includes('PUT') ? ['update'] : []),
        ...(resourceMethods.includes('DELETE') ? ['delete'] : []),
      ];
      return verbs.flatMap((verb) => [...new Set([id, snakeCase(id)])].map((name) => `${verb}_${name}`));
    });
  }

  async list(type: string): Promise<readonly ClientObject[]> {
    return ((await this.#send('GET', this.#collection(type, 'GET'))) as Listed).data;
  }

  async byId(type: string, id: string): Promise<ClientObject> {
    return (await this.#send('GET', `${this.#collection(type, 'GET')}/${id}`)) as ClientObject;
  }

  async create(type: string, fields: object): Promise<ClientObject> {
    return (await this.#send('POST', this.#collection(type, 'POST'), fields)) as ClientObject;
  }

  async update(object: ClientObject, fields: object): Promise<ClientObject> {
    return (await this.#send('PUT', this.#self(object, 'PUT'), fields)) as ClientObject;
  }

  async delete(object: ClientObject): Promise<void> {
    await this.#send('DELETE', this.#self(object, 'DELETE'));
  }

  /** Any names and values go as the body, whatever the schema says of the input. */
  async action(object: ClientObject, name: string, fields: object = {}): Promise<unknown> {
    const url = object.actions[name];
    if (url === undefined) throw new Error(`'${object.type}' ${object.id} has no action ${name}`);
    return this.#send('POST', url, fields);
  }

  async reload(object: ClientObject): Promise<ClientObject> {
    return (await this.#send('GET', object.links.self ?? '')) as ClientObject;
  }

  #collection(type: string, method: string): string {
    const schema = this.types.get(type);
    const url = schema?.links.collection;
    if (url === undefined || !schema?.collectionMethods.includes(method)) throw new Error(`no ${method} for ${type}`);
    return url;
  }

  #self(object: ClientObject, method: string): string {
    const allowed = this.types.get(object.type)?.resourceMethods.includes(method) === true;
    if (!allowed || object.links.self === undefined) throw new Error(`no ${method} for ${object.type}`);
    return object.links.self;
  }

  #send(method: string, url: string, body?: unknown): Promise<unknown> {
    return send(this.#ask, method, url, body);
  }
}

async function send(ask: Ask, method: string, url: string, body?: unknown): Promise<unknown> {
  const answer = await ask(method, url, body);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body ?? '')}`);
  return answer.body;
}

const snakeCase = (id: string): string => id.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

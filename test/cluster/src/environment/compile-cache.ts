/** Node's variable for its cache of compiled code, if it is set for this process (`npm test` sets it). */
export const compileCache = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('NODE_COMPILE_CACHE') && value !== undefined ? [[name, value]] : [],
    ),
  );

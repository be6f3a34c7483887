// Keeps the files of the page, each under its hash, so that it opens without a network. What has
// not changed is not fetched again when the page does.

// prettier-ignore
const FILES = {{files}};

const { scope } = registration;
const KEPT = `hapax ${scope}`;
const without = new URL(location.href).searchParams.get('without');
const files = FILES.filter(([path]) => path !== `hapax/${without}`);
const urlOf = (path) => new URL(path, scope).href;
const keyOf = (path, integrity) => `${urlOf(path)}?${integrity}`;

/** A file as it must be. A copy that is out of date does not have its hash. */
const fetched = async (path, integrity) => {
  const ask = (cache) => fetch(urlOf(path), { integrity, cache });
  const response = await ask('default').catch(() => ask('reload'));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response;
};

const install = async () => {
  const kept = await caches.open(KEPT);
  const lacking = await Promise.all(
    files.map(async (file) => ((await kept.match(keyOf(...file))) ? [] : [file])),
  );
  await Promise.all(
    lacking.flat().map(async ([path, integrity]) => kept.put(keyOf(path, integrity), await fetched(path, integrity))),
  );
  await skipWaiting();
};

const forgetOthers = async () => {
  const kept = await caches.open(KEPT);
  const wanted = new Set(files.map((file) => keyOf(...file)));
  const others = (await kept.keys()).filter(({ url }) => !wanted.has(url));
  await Promise.all(others.map((request) => kept.delete(request)));
  await clients.claim();
};

const keys = new Map(files.map(([path, integrity]) => [urlOf(path), keyOf(path, integrity)]));
keys.set(urlOf('index.html'), keys.get(urlOf('')));

const answer = async (request, key) => (await (await caches.open(KEPT)).match(key)) ?? fetch(request);

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(forgetOthers()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const key = keys.get(url.origin + url.pathname);
  if (request.method === 'GET' && key) event.respondWith(answer(request, key));
});

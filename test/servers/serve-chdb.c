/* Runs libchdb (argument 1) as clickhouse-local with the remaining arguments, on a thread with the stack that it wants. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int count;
static char **arguments;
static int (*query_cmdline)(int, char **);

static void *serve(void *unused) {
  (void)unused;
  exit(query_cmdline(count, arguments));
}

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  query_cmdline = library ? (int (*)(int, char **))dlsym(library, "chdb_query_cmdline") : NULL;
  if (!query_cmdline) {
    fprintf(stderr, "cannot load libchdb: %s\n", dlerror());
    return 1;
  }
  count = argc - 1;
  arguments = argv + 1;
  arguments[0] = "clickhouse-local";
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256UL * 1024 * 1024);
  if (pthread_create(&thread, &attributes, serve, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  return 0;
}

from rudderstack.analytics.client import Client


def connect(url, write_key):
    analytics = Client(write_key, host=url)

    return analytics
